internal import Subprocess
internal import SystemPackage

/// Runs one program for a hook.
enum HookCommand {
    /// Runs the program with the call's data in its environment and waits for its end.
    ///
    /// The program has no standard input. Its output goes to standard error, since standard output is for results. After `limit`, and when
    /// the task is cancelled, it gets a signal to end, and a second later it is killed. It starts with default signal handling,
    /// though this program ignores the signals that it waits for.
    ///
    /// - Returns: an error text; nil if the program succeeded.
    static func run(_ path: String, _ arguments: [String], _ facts: [String: String], limit: Duration) async -> String?
    {
        var options = PlatformOptions()
        // The child processes of a script end with it.
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(1))]
        var variables = Dictionary(
            uniqueKeysWithValues: facts.map { (Environment.Key(stringLiteral: $0.key), Optional($0.value)) })
        // Only this program may have the token; nil removes the variable.
        variables[Environment.Key(stringLiteral: EnvironmentSetting.token.rawValue)] = .some(nil)
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
