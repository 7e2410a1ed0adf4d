internal import Foundation

/// Programs of this machine.
enum Executable {
    /// The path of a program: of one with that name in `PATH`, or of the file itself if the name is a path; nil if it cannot be run.
    static func path(of name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = name.contains("/") ? [""] : path.split(separator: ":").map { $0 + "/" }
        // A folder is executable as well, but "folder/." exists.
        return folders.map { $0 + name }.first {
            FileManager.default.isExecutableFile(atPath: $0) && !FileManager.default.fileExists(atPath: $0 + "/.")
        }
    }
}
