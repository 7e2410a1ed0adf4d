internal import ArgumentParser

/// A range of ports as a person writes it: `FIRST-LAST`, neither of them 0.
struct PortRangeArgument: ExpressibleByArgument, Equatable {
    let ports: ClosedRange<UInt16>

    init?(argument: String) {
        let ends = argument.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first > 0, first <= last else { return nil }
        ports = first...last
    }
}
