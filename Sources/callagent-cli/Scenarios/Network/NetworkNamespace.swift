internal import Foundation
internal import Subprocess

/// A network namespace of this machine (network_namespaces(7)), which a process holds.
///
/// When that process ends, the namespace and all in it are gone. It ends with ``close()``, and when this program ends for any reason, since its
/// standard input ends then.
final class NetworkNamespace: Sendable {
    /// The process that holds it: `nsenter --target` finds the namespace by it.
    let holder: Int32
    private let end: AsyncStream<Never>.Continuation
    private let running: Task<String, Never>

    /// Makes a namespace without any network.
    ///
    /// - Parameter script: what is done first in the namespace, for `sh -e`. What it starts in the background should end by the trap `EXIT`.
    /// - Throws: what a command of the script complained about.
    init(_ script: String) async throws(Failure) {
        let (ready, start) = AsyncStream.makeStream(of: Int32.self)
        let (open, end) = AsyncStream.makeStream(of: Never.self)
        let running = Task { () -> String in
            defer { start.finish() }
            var last = "it ended"
            do {
                _ = try await Subprocess.run(
                    .name("unshare"),
                    arguments: ["--net", "sh", "-e", "-c", Self.prologue + script + "\necho ready; cat >/dev/null"],
                    platformOptions: Self.options, input: .inputWriter, output: .sequence,
                    error: .currentStandardError
                ) { execution in
                    for try await line in execution.standardOutput.strings() {
                        last = line.trimmingCharacters(in: .whitespacesAndNewlines)
                        if last == "ready" { break }
                    }
                    if last == "ready" {
                        start.yield(execution.processIdentifier.value)
                        for await _ in open {}
                    }
                    try await execution.standardInputWriter.finish()
                }
                return last
            } catch {
                return "\(error)"
            }
        }
        (self.end, self.running) = (end, running)
        var first = ready.makeAsyncIterator()
        guard let holder = await first.next(isolation: nil) else {
            end.finish()
            throw Self.failure(await running.value)
        }
        self.holder = holder
    }

    deinit { end.finish() }

    /// Removes it; returns when its process has ended.
    func close() async {
        end.finish()
        _ = await running.value
    }

    // MARK: The namespace of this program

    /// Whether commands run as root here, or need a user namespace for that (user_namespaces(7)).
    private static var unshare: [String] { ["unshare", "--net"] + (geteuid() == 0 ? [] : ["--map-root-user"]) }

    /// Checks that this program may make namespaces.
    static func check() async throws(Failure) {
        do throws(Failure) {
            try await run(unshare.joined(separator: " ") + " sh -c :")
        } catch {
            throw Failure(
                .prerequisite, "a party with 'nat' needs root or user namespaces; run it with sudo (\(error.line))")
        }
    }

    /// Begins this program anew in a network namespace, with another option for its command; returns only if that fails.
    static func enter(with option: String) -> Failure {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let arguments = CommandLine.arguments
        let words = unshare + [program] + arguments.dropFirst().prefix(1) + [option] + arguments.dropFirst(2)
        // Threads of the Swift runtime may block signals, and a program inherits that from the thread that starts it.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
        // As long as the program: it ends here, unless this fails.
        var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe execvp(words[0], &pointers)
        return Failure(.prerequisite, "cannot run \(words[0]): \(unsafe String(cString: strerror(errno)))")
    }

    /// The preference of rules that come before the look at local addresses.
    static let ownRules = 500

    /// Makes this program's new namespace one of several machines: packets between two of them leave it, although both are its own.
    static func prepare() async throws(Failure) {
        try await run(
            """
            [ -z "$(ip route)" ] || { echo "it is no new network namespace"; exit 1; }
            ip link set lo up
            ip rule add pref \(ownRules + 1) lookup local
            ip rule del pref 0
            for scope in all default; do
                echo 0 >/proc/sys/net/ipv4/conf/$scope/rp_filter
                echo 1 >/proc/sys/net/ipv4/conf/$scope/accept_local
            done
            """)
    }

    /// Runs a script for `sh -e` in the namespace of this program.
    ///
    /// - Throws: a failure with the last line that it printed.
    static func run(_ script: String) async throws(Failure) {
        let text: String
        do {
            let result = try await Subprocess.run(
                .name("sh"), arguments: ["-e", "-c", prologue + script], platformOptions: options,
                output: .string(limit: 16_384), error: .discarded)
            if case .exited(0) = result.terminationStatus { return }
            text = result.standardOutput.split(whereSeparator: \.isNewline).last.map(String.init) ?? "sh ended"
        } catch {
            text = "\(error)"
        }
        throw failure(text)
    }

    private static func failure(_ text: String) -> Failure {
        let advice = text.hasSuffix("not found") ? "; sudo apt install iproute2 nftables coturn" : ""
        return Failure(.prerequisite, "the network of a scenario: \(text.printable)\(advice)")
    }

    /// Users' `PATH` lacks the folder of `ip` and `nft`.
    private static let prologue = "exec 2>&1\nPATH=$PATH:/usr/sbin:/sbin\n"

    /// A terminal's Ctrl-C is for this program only.
    private static var options: PlatformOptions {
        var options = PlatformOptions()
        options.createSession = true
        return options
    }
}
