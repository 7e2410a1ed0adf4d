internal import ArgumentParser
internal import MediaEngine

/// The command `callagent pipelines`.
struct PipelinesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipelines", abstract: "Lists, shows and checks the pipeline descriptions.",
        subcommands: [List.self, Show.self, Check.self], defaultSubcommand: List.self)

    /// Where descriptions come from.
    struct Folder: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "A folder with pipeline descriptions of your own, which come before the built-in ones.",
                valueName: "folder"))
        var pipelines: String?

        func catalog() throws -> PipelineCatalog {
            let folder = try PipelineFolder.checked(pipelines)
            do { return try PipelineCatalog(folder: folder) } catch { throw Failure(error) }
        }
    }

    /// The command `callagent pipelines list`.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the descriptions.")
        @OptionGroup var folder: Folder

        func run() throws {
            for description in try folder.catalog().descriptions {
                let role = description.role.rawValue.padded(to: 13)
                Output.line("\(role) \(description.name.padded(to: 10)) \(description.summary)")
            }
        }
    }

    /// The command `callagent pipelines show`.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows the launch lines of a name.")
        @OptionGroup var folder: Folder
        @Argument(help: "The name of the descriptions.")
        var name: String

        func run() throws {
            let catalog = try folder.catalog()
            let found = catalog.descriptions.filter { $0.name == name }
            guard !found.isEmpty else {
                let known = Set(catalog.descriptions.map(\.name)).sorted()
                throw Failure(MediaError.unknownPipelineDescription(name: name, known: known))
            }
            for description in found {
                // The whole file: put into a folder under the name in the first line, it is a description of one's own.
                Output.line("# \(description.fileName)\n\(description.text)")
            }
        }
    }

    /// The command `callagent pipelines check`.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Builds every description once and reports what is wrong.")
        @OptionGroup var folder: Folder

        func run() throws {
            var first: MediaError?
            for description in try folder.catalog().descriptions {
                do throws(MediaError) {
                    try description.check()
                    Output.line("ok      \(description.role.rawValue.padded(to: 13)) \(description.name)")
                } catch .pluginMissing(let element) where description.isOptional {
                    let text = "\(MediaError.pluginMissing(element: element))"
                    Output.line("absent  \(description.role.rawValue.padded(to: 13)) \(description.name): \(text)")
                } catch {
                    Output.line("failed  \(description.role.rawValue.padded(to: 13)) \(description.name): \(error)")
                    if first == nil { first = error }
                }
            }
            if let first { throw Failure(first) }
        }
    }
}

extension String {
    /// Filled with spaces up to `width` columns.
    func padded(to width: Int) -> String { count < width ? self + String(repeating: " ", count: width - count) : self }
}
