/// The default microphone.
enum Microphone {
    /// The candidate descriptions, best first.
    static let names = ["pipewire", "pulse", "alsa"]

    /// Chooses the first whose element is installed and whose device opens; blocks.
    ///
    /// - Throws: ``MediaError/sourceFailed(source:fault:text:)`` with the error of each.
    static func choose(in catalog: PipelineCatalog) throws(MediaError) -> PipelineDescription {
        var words: [String] = []
        for name in names {
            let description = try catalog.description(name, role: .audioSource)
            do throws(MediaError) {
                let bin = try description.instantiate()
                defer { try? bin.setState(.null) }
                try bin.setState(.ready)
                return description
            } catch .stateChangeFailed {
                // The name of the element says nothing to whoever asked for "mic".
            } catch {
                words.append("\(name): \(error)")
            }
        }
        let text = "no microphone opens by \(names.joined(separator: ", "))"
        throw .sourceFailed(source: "mic", fault: .notFound, text: ([text] + words).joined(separator: "; "))
    }

    /// Checks that one of them is installed.
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
