internal import ArgumentParser
internal import SignalingServer

/// The command `callagent token`.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Makes a token for a server with --token-key-file.",
        discussion: """
            The key is a secret or a private key, in a file. A secret has 32 bytes or more (openssl rand -base64 48), and \
            the server has the same. A private key is a P-256 key in PEM (openssl ecparam -name prime256v1 -genkey); the \
            server needs its public half only. An --anonymous token lets somebody without an account call the users that \
            it names, for ten minutes at most.
            """)

    @Option(help: ArgumentHelp("The secret, or the private key in PEM.", valueName: "file"))
    var keyFile: String

    @Option(help: ArgumentHelp("The user who may sign in.", valueName: "name"))
    var user: String

    @Option(help: ArgumentHelp("The only device that may sign in; any without it.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("How long it is good. (default: 1h, 10m with --anonymous)", valueName: "1h|10m|30s"))
    var lifetime: DurationArgument?

    @Flag(help: "For somebody without an account.")
    var anonymous = false

    @Option(help: ArgumentHelp("With --anonymous: a user who may be called. Repeatable.", valueName: "name"))
    var mayCall: [String] = []

    @Option(help: ArgumentHelp("With --anonymous: the account that answers for it.", valueName: "name"))
    var account: String?

    @Option(help: ArgumentHelp("The servers that it is for (aud), as their --token-audience says.", valueName: "text"))
    var audience: String?

    @Option(help: ArgumentHelp("Who makes it (iss), as the server's --token-issuer says.", valueName: "text"))
    var issuer: String?

    @Option(
        help: ArgumentHelp("What a server's --deny-list names it by (jti). (default: a random one)", valueName: "text"))
    var id: String?

    func validate() throws {
        if anonymous {
            guard !mayCall.isEmpty, account != nil else {
                throw ValidationError("--anonymous needs --may-call and --account")
            }
        } else if !mayCall.isEmpty || account != nil {
            throw ValidationError("--may-call and --account go with --anonymous")
        }
    }

    func run() async throws {
        let rights = anonymous ? AccessToken.Anonymous(account: account ?? "", mayCall: mayCall) : nil
        let standard: Duration =
            anonymous ? .seconds(AccessToken.longestAnonymousSeconds) : .seconds(3_600)
        var token = AccessToken(
            user: user, device: device, lifetime: lifetime?.duration ?? standard, anonymous: rights)
        (token.audience, token.issuer) = (audience, issuer)
        token.identifier = id ?? token.identifier
        do throws(TokenError) {
            Output.line(try token.signed(with: try await TokenKey.read(file: keyFile)))
        } catch {
            if case .unusableKey = error { throw Failure(.prerequisite, error.description) }
            throw Failure(.usage, error.description)
        }
    }
}
