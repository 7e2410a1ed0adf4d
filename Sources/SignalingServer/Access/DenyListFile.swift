internal import FoundationEssentials

/// The file of a ``DenyList``, with its last contents.
struct DenyListFile: Sendable {
    let path: String
    private var contents: Data?

    /// The result of reading the file again.
    enum News: Sendable, Equatable {
        /// Its contents have not changed, or it is still unusable.
        case none
        case list(DenyList)
        case unusable(text: String)
    }

    init(path: String) { self.path = path }

    /// Reads the whole file; this also detects a replaced file and a changed link.
    ///
    /// Blocks: do not call it on an event loop.
    mutating func readAgain(isFirst: Bool = false) -> News {
        let before = contents
        contents = try? Data(contentsOf: URL(filePath: path))
        guard isFirst || contents != before else { return .none }
        guard let contents else {
            return .unusable(text: "it cannot be read; does it exist, and may this user read it?")
        }
        do throws(DenyList.Mistake) {
            return .list(try DenyList(contents))
        } catch {
            return .unusable(text: error.text)
        }
    }
}
