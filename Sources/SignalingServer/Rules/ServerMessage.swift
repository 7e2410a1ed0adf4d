internal import CallProtocol

/// The messages of the server itself, as JSON text.
///
/// Every string in it is a ``Name``, a checked URL, a text of this package, or the plain words of a relay. None contains characters that JSON has to escape.
enum ServerMessage: Sendable, Equatable {
    case signedIn(Party, resume: String, tokenExpiresInMs: Int?, unixMs: Int, iceServers: IceServers? = nil)
    case refused(code: Int, text: String)
    case gone(id: String, callId: String, from: Party, to: String, unixMs: Int)
    case ringing(id: String, callId: String, from: String, to: String, generation: Int, unixMs: Int)
    case error(Fault, id: String, to: String, unixMs: Int)
    case tokenWillExpire(inMs: Int)
    case renewed(tokenExpiresInMs: Int)
    case renewalRefused(code: Int, text: String)
    case iceServers(IceServers)
    case watching
    case watchRefused(code: Int, text: String)
    case presence(user: String, devices: [String])

    /// The STUN and TURN servers of a client, and how long their credentials are valid, in ms.
    struct IceServers: Sendable, Equatable {
        var servers: [IceServerOffer.Server]
        var validForMs: Int
    }

    /// The error about a message that could not be forwarded.
    struct Fault: Sendable, Equatable {
        var code: Int
        var text: String
        /// The call and the id of that message; `-` if they were illegible.
        var callId = "-"
        var ref = "-"
        var generation = 0
    }

    /// The message as one line of JSON.
    var json: String {
        switch self {
        case .signedIn(let party, let resume, let expiry, let unixMs, let servers):
            #"{"v":1,"type":"signedIn","user":"\#(party.user)","device":"\#(party.device)","unixMs":\#(unixMs),"#
                + #""resume":"\#(resume)"\#(expiry.map { #","tokenExpiresInMs":\#($0)"# } ?? "")"#
                + (servers.map { #","iceServers":{\#(Self.fields($0))}"# } ?? "") + "}"
        case .refused(let code, let text): Self.refusal("refused", code, text)
        case .gone(let id, let callId, let from, let to, let unixMs):
            #"{"v":1,"type":"gone","id":"\#(id)","callId":"\#(callId)","from":"\#(from.user)","#
                + #""device":"\#(from.device)","to":"\#(to)","sentUnixMs":\#(unixMs)}"#
        case .ringing(let id, let callId, let from, let to, let generation, let unixMs):
            #"{"v":1,"type":"ringing","id":"\#(id)","callId":"\#(callId)","from":"\#(from)","to":"\#(to)","#
                + #""generation":\#(generation),"sentUnixMs":\#(unixMs)}"#
        case .error(let fault, let id, let to, let unixMs):
            #"{"v":1,"type":"error","id":"\#(id)","callId":"\#(fault.callId)","to":"\#(to)","#
                + #""generation":\#(fault.generation),"code":\#(fault.code),"text":"\#(fault.text)","#
                + #""ref":"\#(fault.ref)","sentUnixMs":\#(unixMs)}"#
        case .tokenWillExpire(let milliseconds):
            #"{"v":1,"type":"tokenWillExpire","inMs":\#(milliseconds)}"#
        case .renewed(let expiry): #"{"v":1,"type":"renewed","tokenExpiresInMs":\#(expiry)}"#
        case .renewalRefused(let code, let text): Self.refusal("renewalRefused", code, text)
        case .iceServers(let servers): #"{"v":1,"type":"iceServers",\#(Self.fields(servers))}"#
        case .watching: #"{"v":1,"type":"watching"}"#
        case .watchRefused(let code, let text): Self.refusal("watchRefused", code, text)
        case .presence(let user, let devices):
            #"{"v":1,"type":"presence","user":"\#(user)","devices":[\#(Self.list(devices))]}"#
        }
    }

    private static func refusal(_ type: String, _ code: Int, _ text: String) -> String {
        #"{"v":1,"type":"\#(type)","code":\#(code),"text":"\#(text)"}"#
    }

    private static func list(_ texts: [String]) -> String { texts.map { "\"\($0)\"" }.joined(separator: ",") }

    private static func fields(_ offer: IceServers) -> String {
        #""servers":[\#(offer.servers.map(json).joined(separator: ","))],"validForMs":\#(offer.validForMs)"#
    }

    private static func json(_ server: IceServerOffer.Server) -> String {
        let username = server.username.map { #","username":"\#($0)""# } ?? ""
        let credential = server.credential.map { #","credential":"\#($0)""# } ?? ""
        return #"{"urls":[\#(list(server.urls))]\#(username)\#(credential)}"#
    }
}
