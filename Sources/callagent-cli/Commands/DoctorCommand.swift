internal import ArgumentParser
internal import LocalNetwork
internal import MediaEngine
internal import SignalingServer

/// The command `callagent doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks what a call needs on this machine, and says how to mend it.")

    @OptionGroup var folder: PipelinesCommand.Folder
    @Flag(help: "Print the findings as one JSON document.")
    var json = false

    @OptionGroup var log: LogOptions

    /// One thing that was looked at.
    struct Finding: Encodable {
        let check: String
        let ok: Bool
        /// What was found, or what to do.
        let text: String
        /// Whether a call fails without it.
        var isRequired = true
    }

    func run() async throws {
        let engine = try await ProgramEngine.start(folder.pipelines, log)
        var findings = [Finding(check: "GStreamer", ok: true, text: Version.text)]
        for element in Engine.requiredElements { findings.append(Self.element(element, engine)) }
        for description in engine.catalog.descriptions { findings.append(Self.description(description)) }
        findings.append(await Self.signaling(log))
        findings.append(Self.addresses())
        findings.append(await Self.call(engine))
        let missing = findings.filter { !$0.ok && $0.isRequired }
        let count = missing.count == 1 ? "1 part that they need is" : "\(missing.count) parts that they need are"
        let verdict =
            missing.isEmpty ? "this machine can make calls" : "this machine cannot make calls: \(count) missing"
        if json {
            struct Document: Encodable {
                let findings: [Finding]
                let verdict: String
            }
            Output.document(Document(findings: findings, verdict: verdict))
        } else {
            for finding in findings {
                let mark = finding.ok ? "ok     " : finding.isRequired ? "MISSING" : "note   "
                Output.line("\(mark)  \(finding.check.padded(to: 28))  \(finding.text)")
            }
            Output.line(verdict)
        }
        guard missing.isEmpty else { throw Failure(.prerequisite, "\(verdict); first: \(missing[0].text)") }
    }

    private static func element(_ name: String, _ engine: Engine) -> Finding {
        guard !engine.hasElement(name) else { return Finding(check: "element \(name)", ok: true, text: "installed") }
        return Finding(check: "element \(name)", ok: false, text: MediaError.pluginMissing(element: name).description)
    }

    private static func description(_ description: PipelineDescription) -> Finding {
        let check = "\(description.role.rawValue) \(description.name)"
        do throws(MediaError) {
            try description.check()
            return Finding(check: check, ok: true, text: description.summary)
        } catch {
            return Finding(check: check, ok: false, text: error.description, isRequired: !description.isOptional)
        }
    }

    private static func signaling(_ log: LogOptions) async -> Finding {
        let check = "signaling port"
        do throws(ServerError) {
            let server = try await Server.start(
                configuration: .init(port: 8080), logger: log.logger("server"))
            await server.shutdown()
            return Finding(check: check, ok: true, text: "127.0.0.1:8080 is free for callagent serve")
        } catch {
            return Finding(
                check: check, ok: false, text: "\(error); or that is callagent serve already", isRequired: false)
        }
    }

    private static func addresses() -> Finding {
        let addresses = LocalAddresses.global()
        guard addresses.isEmpty else {
            return Finding(check: "network addresses", ok: true, text: addresses.joined(separator: ", "))
        }
        return Finding(
            check: "network addresses", ok: false, text: "none but loopback: calls reach this machine only",
            isRequired: false)
    }

    private static func call(_ engine: Engine) async -> Finding {
        let check = "a call on loopback"
        guard let error = await engine.warmedUp() else {
            return Finding(check: check, ok: true, text: "VP8, H264 and Opus sent over ICE and DTLS, and decoded")
        }
        return Finding(check: check, ok: false, text: error.description)
    }
}
