import ArgumentParser
import CallAgent
import Foundation
import MediaEngine
import Testing

@testable import callagent_cli

/// The parsing of arguments.
struct ArgumentTests {
    @Test(
        "A duration has a number and a unit",
        arguments: [
            ("10", 10_000), ("0", 0), ("1.5", 1_500), ("2s", 2_000), ("1.5s", 1_500), ("500ms", 500), ("2m", 120_000),
            ("1h", 3_600_000), ("1m30s", 90_000), ("1h2m3s4ms", 3_723_004), ("24h", 86_400_000),
        ])
    func durations(text: String, milliseconds: Int) {
        #expect(DurationArgument(argument: text)?.milliseconds == milliseconds)
        #expect(TimeLimit(argument: text)?.duration == .milliseconds(milliseconds))
    }

    @Test(
        "An invalid duration is refused",
        arguments: [
            "", "s", "-1s", "1x", "1s1m", "1s1s", "1m30", "10 s", "1e3s", "nan", "inf", "1..5s", "25h", "forever", "٣s",
        ])
    func noDurations(text: String) { #expect(DurationArgument(argument: text) == nil) }

    @Test(
        "The parser's message about a value becomes the program's",
        arguments: [
            (
                "The value 'abc' is invalid for '--duration <10|500ms|1m30s|forever>'",
                "--duration: 'abc' is no duration; use 10, 500ms, 1m30s or forever"
            ),
            (
                "The value '25h' is invalid for '--lifetime <1h|10m|30s>'",
                "--lifetime: '25h' is too long; the longest is 24h"
            ),
            ("The value '-5s' is invalid for '--grace <1s|500ms>'", "--grace: '-5s' is negative; use 1s or 500ms"),
            ("The value 'a' is invalid for '--at <time=action>': use\nTIME", "--at: use TIME"),
            (
                "The value 'a' is invalid for '--rate <5|5/s|30/m>'",
                "--rate: this value is not possible; use 5 or 5/s or 30/m"
            ),
            (
                "The value 'x' is invalid for '--repeat <N>'",
                "--repeat: this value is not possible; use a whole number"
            ),
            ("Unknown option '--x'", nil),
        ])
    func messages(message: String, line: String?) { #expect(ParserMessage.line(message, []) == line ?? message) }

    @Test("A negative number is said to need an equals sign")
    func negative() {
        let line = ParserMessage.line("Missing value for '--calls <N>'", ["demo", "--calls", "-1"])
        #expect(line == "--calls: a value that begins with '-' is written --calls=-1")
    }

    @Test("A setting of the server is named as its option")
    func serverSettings() {
        #expect(ServeOptions.naming("connections", "0 is not in 1...5") == "--max-connections 0 is not in 1...5")
        #expect(ServeOptions.naming("denyListFile", "needs tokenKeyFiles") == "--deny-list needs --token-key-file")
        #expect(ServeOptions.naming("port", "a connections text") == "port a connections text")
    }

    @Test("A duration can be unlimited")
    func forever() {
        #expect(TimeLimit(argument: "forever") == TimeLimit(nil))
        #expect(TimeLimit(argument: "forever")?.defaultValueDescription == "forever")
        #expect(TimeLimit(argument: "evermore") == nil)
    }

    @Test("The help of a call shows ten options, and --help-all shows all", arguments: ["call", "listen", "load"])
    func help(command: String) throws {
        for arguments in [[command, "--help"], ["help", command], [command, "bob", "-h"]] {
            let text = try #require(Help.text(arguments))
            #expect(text.matches(of: /(?m)^  --/).count == 10, "\(text)")
            #expect(text.contains("USAGE: callagent \(command)") && text.contains("--help-all lists the other "))
            #expect(text.hasSuffix("callagent help lists the exit codes."))
            #expect(text.contains("\n  --junit <file>") == (command == "call"))
            #expect(text.contains("\n  --signaling <url>") && !text.contains("--payload-type"))
        }
        let all = try #require(Help.text([command, "--help-all"]))
        #expect(all.matches(of: /(?m)^  --/).count > 50 && all.contains("--payload-type"))
    }

    @Test(
        "What is no session on a media server is refused before anything begins",
        arguments: [
            (["h/whip"], "is no http:// or https:// URL"), (["http://a:b@h"], "without a password"),
            (["http://h", "--request-timeout", "11m"], "may be 600 s at most"),
            (["http://h", "--connect-timeout", "0"], "a timeout must be longer than 0"),
            (["http://h", "--token", "a", "--token-file", "b"], "exclude each other"),
        ])
    func noSession(arguments: [String], text: String) {
        let error = #expect(throws: (any Error).self) { try PublishCommand.parse(arguments) }
        guard let error else { return }
        #expect(PublishCommand.message(for: error).contains(text))
    }

    @Test("The help of a session on a media server is short, too", arguments: ["publish", "play"])
    func sessionHelp(command: String) throws {
        let text = try #require(Help.text([command, "--help"]))
        #expect((8...9).contains(text.matches(of: /(?m)^  --/).count), "\(text)")
        #expect(text.contains("USAGE: callagent \(command)") && text.contains("--help-all lists the other "))
        let all = try #require(Help.text([command, "--help-all"]))
        #expect(all.matches(of: /(?m)^  --/).count > 30 && all.contains("--ice-server"))
        // What the other direction needs is no option of this one.
        #expect(
            all.contains("--sink-video") == (command == "play")
                && all.contains("--video-size") == (command == "publish"))
    }

    @Test(
        "Other help is the parser's",
        arguments: [["call", "bob"], ["serve", "--help"], ["--help"], ["call", "--", "--help"]])
    func otherHelp(arguments: [String]) { #expect(Help.text(arguments) == nil) }

    @Test("An expectation has a scope, a path, a comparison and a number")
    func expectations() throws {
        let plain = try Expectation(parsing: "summary.connected==20")
        #expect(plain.scope == .all && plain.path == ["summary", "connected"] && plain.comparison == .equal)
        let median = try Expectation(parsing: "median( a.b ) <= 1.5")
        #expect(median.scope == .median && median.number == 1.5 && median.comparison == .lessOrEqual)
    }

    @Test("A spread has the nearest rank as its p95")
    func spread() throws {
        let spread = try #require(Spread((1...100).map(Double.init).shuffled()))
        #expect(spread.min == 1 && spread.median == 50.5 && spread.p95 == 95 && spread.max == 100)
        #expect(Spread([7])?.p95 == 7 && Spread([]) == nil)
    }

    @Test(
        "A misspelled name finds the intended one, and no other",
        arguments: [
            ("cal", "call"), ("clal", "call"), ("lisen", "listen"), ("docter", "doctor"), ("server", "serve"),
            ("frobnicate", nil), ("x", nil), ("", nil),
        ])
    func misspelling(word: String, name: String?) {
        let names = ["demo", "serve", "listen", "call", "doctor", "devices", "help"]
        #expect(Misspelling.nearest(to: word, among: names) == name)
    }

    @Test("A file's own audio is sent unless another source is named, and may be missing only then")
    func fileAudio() throws {
        let silent = CaptureFault(medium: .audio, cause: .silent, text: "no audio")
        let own = try SourceOptions.parse(["--video", "file:/clip.mkv"])
        #expect(try own.audioSource() == AudioSource(parsing: "file:/clip.mkv"))
        #expect(own.allowsStandIn(silent))
        let named = try SourceOptions.parse(["--video", "file:/clip.mkv", "--audio", "file:/song.ogg"])
        #expect(try named.audioSource() == AudioSource(parsing: "file:/song.ogg"))
        #expect(!named.allowsStandIn(silent))
        #expect(try SourceOptions.parse([]).audioSource() == AudioSource(parsing: "tone"))
        #expect(try SourceOptions.parse(["--video", "file:/clip.mkv", "--audio", "none"]).audioSource() == nil)
    }

    @Test(
        "The options of the commands with calls have groups, and only --config and the parser's own have none",
        arguments: ["call", "listen", "load"])
    func groups(command: String) throws {
        let help = try #require(Help.text([command, "--help-all"]))
        for title in ["CALL:", "MEDIA:", "NETWORK:", "OUTPUT:", "CHECKS:"] { #expect(help.contains("\n\(title)\n")) }
        let rest = try #require(help.components(separatedBy: "\nOPTIONS:\n").last).split(separator: "\n")
        let names = rest.filter { $0.hasPrefix("  -") }.compactMap { $0.split(separator: " ").first }
        #expect(names == ["--config", "--version", "-h,"])
    }
}
