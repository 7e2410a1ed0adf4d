/// The default microphone.
enum Microphone {
    /// The descriptions that can be it, best first.
    static let names = ["pipewire", "pulse", "alsa"]

    /// The first whose element is installed and whose device opens; blocks.
    ///
    /// - Throws: ``MediaError/sourceFailed(source:fault:text:)`` with what each of them said.
    static func choose(in catalog: PipelineCatalog) throws(MediaError) -> PipelineDescription {
        var words: [String] = []
        for name in names {
            let description = try catalog.description(name, role: .audioSource)
            do throws(MediaError) {
                let bin = try description.instantiate()
                defer { try? bin.setState(.null) }
                try bin.setState(.ready)
                return description
            } catch {
                words.append("\(name): \(error)")
            }
        }
        throw .sourceFailed(source: "mic", fault: .notFound, text: words.joined(separator: "; "))
    }

    /// Whether one of them is installed.
    ///
    /// - Throws: ``MediaError/pluginMissing(element:)``.
    static func check(in catalog: PipelineCatalog) throws(MediaError) {
        var missing: MediaError?
        for name in names {
            do throws(MediaError) {
                _ = try catalog.description(name, role: .audioSource).instantiate()
                return
            } catch {
                missing = missing ?? error
            }
        }
        if let missing { throw missing }
    }
}
