internal import BuiltInPipelines
internal import Foundation

/// The pipeline descriptions that can be used: those of a folder of the user's, then the built-in ones.
public struct PipelineCatalog: Sendable {
    /// Every description, by role and name; where both have one, the user's.
    public let descriptions: [PipelineDescription]

    /// Reads the built-in descriptions and those of `folder`.
    ///
    /// - Throws: ``MediaError/invalidPipelineDescription(name:line:text:)`` for the first file that cannot be used.
    public init(folder: String? = nil) throws(MediaError) {
        var texts = BuiltInPipelines.files.mapValues { String(decoding: $0, as: UTF8.self) }
        if let folder { texts.merge(try Self.files(in: folder)) { _, user in user } }
        var descriptions: [PipelineDescription] = []
        for (fileName, text) in texts { descriptions.append(try PipelineDescription(fileName: fileName, text: text)) }
        self.descriptions = descriptions.sorted { ($0.role.rawValue, $0.name) < ($1.role.rawValue, $1.name) }
    }

    /// - Throws: ``MediaError/unknownPipelineDescription(name:known:)``.
    public func description(_ name: String, role: PipelineDescription.Role) throws(MediaError) -> PipelineDescription {
        let candidates = descriptions.filter { $0.role == role }
        guard let found = candidates.first(where: { $0.name == name }) else {
            throw .unknownPipelineDescription(name: name, known: candidates.map(\.name))
        }
        return found
    }

    /// The description of a codec: the best whose elements are installed.
    ///
    /// - Throws: ``MediaError/pluginMissing(element:)`` of the best, when none is.
    func description(of codec: Codec, role: PipelineDescription.Role) throws(MediaError) -> PipelineDescription {
        let best = try description(codec.descriptionNames[0], role: role)
        try GStreamerLibrary.initialize()
        for name in codec.descriptionNames.dropFirst() {
            do throws(MediaError) {
                _ = try best.instantiate()
                return best
            } catch .pluginMissing {
                let other = try description(name, role: role)
                if (try? other.instantiate()) != nil { return other }
            }
        }
        return best
    }

    private static func files(in folder: String) throws(MediaError) -> [String: String] {
        do {
            var texts: [String: String] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".launch") {
                texts[name] = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            }
            return texts
        } catch {
            throw .invalidPipelineDescription(name: folder, line: nil, text: error.localizedDescription)
        }
    }
}
