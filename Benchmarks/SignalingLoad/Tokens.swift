import SignalingServer

/// Makes the tokens of the load.
struct Tokens: Sendable {
    let key: TokenKey

    func token(_ user: String) -> String {
        (try? AccessToken(user: user, lifetime: .seconds(3_600)).signed(with: key)) ?? ""
    }
}
