internal import FoundationEssentials

/// The file of a ``DenyList``, and what it said when it was read last.
struct DenyListFile: Sendable {
    let path: String
    private var contents: Data?

    /// What reading it again brought.
    enum News: Sendable, Equatable {
        /// It says what it said before, or is as unusable as it was.
        case none
        case list(DenyList)
        case unusable(text: String)
    }

    init(path: String) { self.path = path }

    /// Reads the whole file, which also sees a file that was replaced, and one behind a link that leads elsewhere now.
    ///
    /// Blocks: not for an event loop.
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
