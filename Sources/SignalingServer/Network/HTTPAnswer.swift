internal import NIOHTTP1

/// A response to a plain HTTP request.
struct HTTPAnswer: Sendable, Equatable {
    var status: HTTPResponseStatus
    var contentType = "text/plain; charset=utf-8"
    var body: String
    var headers: [(String, String)] = []

    static func == (left: Self, right: Self) -> Bool {
        left.status == right.status && left.contentType == right.contentType && left.body == right.body
            && left.headers.elementsEqual(right.headers, by: ==)
    }
}
