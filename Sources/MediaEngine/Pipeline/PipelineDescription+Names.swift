extension PipelineDescription {
    /// Whether it has an element with `name=ELEMENT`.
    func names(_ element: String) -> Bool { launch.split(separator: " ").contains("name=\(element)") }

    /// The same with another name for one of its elements; the new name is the engine's own, letters, digits and `-`.
    func renaming(_ element: String, to name: String) -> PipelineDescription {
        var renamed = self
        renamed.launch = launch.split(separator: " ").map { $0 == "name=\(element)" ? "name=\(name)" : String($0) }
            .joined(separator: " ")
        return renamed
    }
}
