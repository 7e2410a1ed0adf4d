public import ArgumentParser
public import MediaEngine

extension AudioProcessing: ExpressibleByArgument {
    /// All that can be written.
    static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
