internal import BuiltInPipelines
internal import Foundation

/// The available pipeline descriptions: those of the user's folder, then the built-in ones.
public struct PipelineCatalog: Sendable {
    /// All descriptions, by role and name; the user's replace built-in ones.
    public let descriptions: [PipelineDescription]

    /// Reads the built-in descriptions and those of `folder`.
    ///
    /// - Throws: ``MediaError/invalidPipelineDescription(name:line:text:)`` for the first unusable file.
    public init(folder: String? = nil) throws(MediaError) {
        var descriptions: [String: PipelineDescription] = [:]
        for (fileName, text) in BuiltInPipelines.files {
            descriptions[fileName] = try PipelineDescription(
                fileName: fileName, text: String(decoding: text, as: UTF8.self))
        }
        if let folder {
            for (fileName, text) in try Self.files(in: folder).sorted(by: { $0.key < $1.key }) {
                // The path includes the folder, for messages.
                descriptions[fileName] = try PipelineDescription(fileName: "\(folder)/\(fileName)", text: text)
            }
        }
        self.descriptions = descriptions.values.sorted { ($0.role.rawValue, $0.name) < ($1.role.rawValue, $1.name) }
    }

    /// - Throws: ``MediaError/unknownPipelineDescription(name:known:)``.
    public func description(_ name: String, role: PipelineDescription.Role) throws(MediaError) -> PipelineDescription {
        let candidates = descriptions.filter { $0.role == role }
        guard let found = candidates.first(where: { $0.name == name }) else {
            throw .unknownPipelineDescription(name: name, known: candidates.map(\.name))
        }
        return found
    }

    /// The description of a codec: the best one whose elements are installed.
    ///
    /// - Throws: ``MediaError/pluginMissing(element:)`` for the best one, when none is installed.
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

    /// The description of an encoder: the one in `chosen` for this codec, otherwise as in ``description(of:role:)``.
    func encoder(of codec: Codec, chosen: [String]) throws(MediaError) -> PipelineDescription {
        guard let name = chosen.first(where: { $0.hasSuffix(codec.rawValue) }) else {
            return try description(of: codec, role: .encoder)
        }
        return try description(name, role: .encoder)
    }

    /// Whether the elements that send and receive a codec are installed; only reads the registry.
    func hasElements(of codec: Codec, encoders chosen: [String] = []) -> Bool {
        let encoders = chosen.filter { $0.hasSuffix(codec.rawValue) }
        return hasElements(encoders.isEmpty ? codec.descriptionNames : encoders, .encoder)
            && hasElements(codec.descriptionNames, .decoder)
    }

    private func hasElements(_ names: [String], _ role: PipelineDescription.Role) -> Bool {
        names.contains { name in
            let description = try? description(name, role: role)
            return description?.launchText.factories.allSatisfy(GStreamerLibrary.hasElement) == true
        }
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
