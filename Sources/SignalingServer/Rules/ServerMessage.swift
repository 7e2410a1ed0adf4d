/// What the server itself says, as JSON text.
///
/// Every string in it is a ``Name`` or a text of this package: neither holds anything that JSON would have to escape.
enum ServerMessage: Sendable, Equatable {
    case signedIn(user: String)
    case refused(code: Int, text: String)
    case gone(id: String, callId: String, from: String, to: String, unixMs: Int)
    case error(Fault, id: String, to: String, unixMs: Int)

    /// A message that could not be handed on.
    struct Fault: Sendable, Equatable {
        var code: Int
        var text: String
        /// The call and the id of that message, `-` where they were illegible.
        var callId: String
        var ref: String
        var generation: Int
    }

    /// The message as one line of JSON.
    var json: String {
        switch self {
        case .signedIn(let user):
            #"{"v":1,"type":"signedIn","user":"\#(user)"}"#
        case .refused(let code, let text):
            #"{"v":1,"type":"refused","code":\#(code),"text":"\#(text)"}"#
        case .gone(let id, let callId, let from, let to, let unixMs):
            #"{"v":1,"type":"gone","id":"\#(id)","callId":"\#(callId)","from":"\#(from)","to":"\#(to)","#
                + #""sentUnixMs":\#(unixMs)}"#
        case .error(let fault, let id, let to, let unixMs):
            #"{"v":1,"type":"error","id":"\#(id)","callId":"\#(fault.callId)","to":"\#(to)","#
                + #""generation":\#(fault.generation),"code":\#(fault.code),"text":"\#(fault.text)","#
                + #""ref":"\#(fault.ref)","sentUnixMs":\#(unixMs)}"#
        }
    }
}
