import Foundation
import TransportSecurity
import TestServers
import Testing

@Suite("Trusted roots") struct TrustedRootsTests {
    @Test("Each file is read once in a process, and again when it has changed")
    func once() throws {
        let folder = try PipelineFolder()
        let (path, other) = (folder.file("roots.pem"), folder.file("other.pem"))
        try write(TestCertificate(), to: path)
        try write(TestCertificate(), to: other)
        let first = try TrustedRoots.context(file: path)
        #expect(try TrustedRoots.context(file: path) === first)
        #expect(try TrustedRoots.context(file: other) !== first)
        #expect(try TrustedRoots.context(file: nil) === TrustedRoots.context(file: nil))
        try write(TestCertificate(), to: path)
        let second = try TrustedRoots.context(file: path)
        #expect(second !== first)
        #expect(try TrustedRoots.context(file: path) === second)
    }

    @Test("An unreadable file is reported each time, and is not cached")
    func unreadable() throws {
        let folder = try PipelineFolder(["roots.pem": "no certificate"])
        let path = folder.file("roots.pem")
        for _ in 0..<2 {
            let error = #expect(throws: TrustedRoots.Unreadable.self) { try TrustedRoots.context(file: path) }
            #expect(try #require(error).text.contains("roots.pem"))
        }
        try write(TestCertificate(), to: path)
        _ = try TrustedRoots.context(file: path)
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: TrustedRoots.Unreadable.self) { try TrustedRoots.context(file: path) }
    }

    /// Like a renewal: another file takes the place of the old one.
    private func write(_ certificate: TestCertificate, to path: String) throws {
        try Data(contentsOf: URL(filePath: certificate.certificate.path)).write(
            to: URL(filePath: path), options: .atomic)
    }
}
