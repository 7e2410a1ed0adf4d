/// Why the server does not do what a client asks for, in the terms of the protocol.
struct RoutingRefusal: Error, Sendable, Equatable {
    var code: Int
    var text: String

    init(_ code: Int, _ text: String) {
        self.code = code
        self.text = text
    }
}
