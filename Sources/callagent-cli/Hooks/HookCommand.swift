internal import Subprocess
internal import SystemPackage

/// Runs one program for a hook.
enum HookCommand {
    /// Runs it with the facts in its environment and waits for its end.
    ///
    /// It has no standard input, and what it prints goes to standard error: standard output is for results. After `limit`, and when
    /// the task is cancelled, it is told to end, and a second later it is killed. It begins with the signals as any program
    /// does, though this one ignores those that it waits for.
    ///
    /// - Returns: what went wrong.
    static func run(_ path: String, _ arguments: [String], _ facts: [String: String], limit: Duration) async -> String?
    {
        var options = PlatformOptions()
        // What a script has started ends with it.
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(1))]
        let variables = Dictionary(
            uniqueKeysWithValues: facts.map { (Environment.Key(stringLiteral: $0.key), Optional($0.value)) })
        let running = Task { [options] in
            try await Subprocess.run(
                .path(FilePath(path)), arguments: Arguments(arguments), environment: .inherit.updating(variables),
                platformOptions: options, input: .none, output: .currentStandardError,
                error: .currentStandardError
            ).terminationStatus
        }
        let watchdog = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            running.cancel()
        }
        defer { watchdog.cancel() }
        let outcome = await withTaskCancellationHandler {
            await running.result
        } onCancel: {
            running.cancel()
        }
        if running.isCancelled {
            return Task.isCancelled ? "it still ran when the program ended" : "it ran for \(limit)"
        }
        switch outcome {
        case .success(.exited(0)): return nil
        case .success(.exited(let code)): return "it ended with \(code)"
        case .success(.signaled(let signal)): return "it was ended by signal \(signal)"
        case .failure(let error): return "it cannot be run: \(error)"
        }
    }
}
