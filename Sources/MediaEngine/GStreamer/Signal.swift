internal import CGStreamer

/// The arguments of one signal emission, valid only inside the handler.
///
/// Argument 0 is the emitting object, as in the C documentation.
struct SignalArguments: ~Copyable {
    private let values: UnsafeBufferPointer<GValue>

    fileprivate init(_ values: UnsafeBufferPointer<GValue>) { self.values = values }

    func string(_ index: Int) -> String? {
        guard let value = value(index, of: cgst_type_string()) else { return nil }
        return g_value_get_string(value).map { String(cString: $0) }
    }

    func uint(_ index: Int) -> UInt32? { value(index, of: cgst_type_uint()).map { g_value_get_uint($0) } }

    func element(_ index: Int) -> Element? {
        guard let value = value(index, of: gst_element_get_type()), let object = g_value_get_object(value) else {
            return nil
        }
        return Element(ref: GObjectRef(borrowing: object.cast()))
    }

    func pad(_ index: Int) -> Pad? {
        guard let value = value(index, of: gst_pad_get_type()), let object = g_value_get_object(value) else {
            return nil
        }
        return Pad(ref: GObjectRef(borrowing: object.cast()))
    }

    /// An object of a type that has no wrapper of its own.
    func object(_ index: Int, of type: GType) -> GObjectRef<CGStreamer.GObject>? {
        guard let value = value(index, of: type), let object = g_value_get_object(value) else { return nil }
        return GObjectRef(borrowing: object.cast())
    }

    func boxed(_ index: Int, of type: GType) -> UnsafeMutableRawPointer? {
        value(index, of: type).flatMap { g_value_get_boxed($0) }
    }

    private func value(_ index: Int, of type: GType) -> UnsafePointer<GValue>? {
        guard index < values.count, let base = values.baseAddress, cgst_value_holds(base + index, type) != 0 else {
            return nil
        }
        return base + index
    }
}

/// A connected signal handler; disconnects when released.
final class SignalConnection: Sendable {
    private let instance: AnyGObject
    private let id: gulong

    fileprivate init(instance: AnyGObject, id: gulong) {
        self.instance = instance
        self.id = id
    }

    deinit { g_signal_handler_disconnect(instance.ref.pointer, id) }
}

private final class SignalBox: Sendable {
    let handler: @Sendable (borrowing SignalArguments) -> Void
    init(_ handler: @escaping @Sendable (borrowing SignalArguments) -> Void) { self.handler = handler }
}

/// One argument of an action signal.
enum SignalArgument {
    case uint(UInt32)
    case uint64(UInt64)
    case string(String)
    case emptyStructure
    case structure(UnsafeMutablePointer<GstStructure>)
    case noPad
    case element(Element)
    case promise(UnsafeMutablePointer<GstPromise>)
    case description(NativeSessionDescription)

    fileprivate func write(to value: UnsafeMutablePointer<GValue>) {
        switch self {
        case .uint(let number):
            g_value_init(value, cgst_type_uint())
            g_value_set_uint(value, number)
        case .uint64(let number):
            g_value_init(value, cgst_type_uint64())
            g_value_set_uint64(value, guint64(number))
        case .string(let text):
            g_value_init(value, cgst_type_string())
            g_value_set_string(value, text)
        case .structure(let structure):
            g_value_init(value, gst_structure_get_type())
            g_value_set_boxed(value, structure)
        case .emptyStructure: g_value_init(value, gst_structure_get_type())
        case .noPad: g_value_init(value, gst_pad_get_type())
        case .element(let element):
            g_value_init(value, gst_element_get_type())
            g_value_set_object(value, element.ref.pointer)
        case .promise(let promise):
            g_value_init(value, gst_promise_get_type())
            g_value_set_boxed(value, promise)
        case .description(let description):
            g_value_init(value, gst_webrtc_session_description_get_type())
            g_value_set_boxed(value, description.pointer)
        }
    }
}

extension GObject {
    /// Connects `handler` to `signal`; it stays connected until the result is released.
    ///
    /// The handler runs on whichever thread emits and may run one more time after disconnecting: GLib keeps the closure alive during an emission. So
    /// a handler converts, yields into a stream and returns. It must not capture an object that owns the emitter: such a cycle through C leaks
    /// unnoticed.
    func connect(_ signal: String, _ handler: @escaping @Sendable (borrowing SignalArguments) -> Void)
        -> SignalConnection
    {
        let id = g_signal_connect_closure(ref.pointer, signal, Self.closure(handler), 0)
        return SignalConnection(instance: AnyGObject(ref: GObjectRef(borrowing: ref.cast())), id: id)
    }

    /// Connects `handler` for as long as the object lives; otherwise like ``connect(_:_:)``.
    func watch(_ signal: String, _ handler: @escaping @Sendable (borrowing SignalArguments) -> Void) {
        g_signal_connect_closure(ref.pointer, signal, Self.closure(handler), 0)
    }

    private static func closure(
        _ handler: @escaping @Sendable (borrowing SignalArguments) -> Void
    ) -> UnsafeMutablePointer<GClosure> {
        let box = Unmanaged.passRetained(SignalBox(handler)).toOpaque()
        let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), box)!
        g_closure_set_marshal(closure) { closure, _, count, values, _, _ in
            guard let data = closure?.pointee.data else { return }
            let box = Unmanaged<SignalBox>.fromOpaque(data).takeUnretainedValue()
            box.handler(SignalArguments(UnsafeBufferPointer(start: values, count: Int(count))))
        }
        g_closure_add_finalize_notifier(closure, box) { data, _ in
            if let data { Unmanaged<SignalBox>.fromOpaque(data).release() }
        }
        return closure
    }

    /// Emits an action signal; `result` may read its return value.
    ///
    /// Hold no locks during the call: a closed webrtcbin replies on the caller's thread, inside this call.
    func emit(
        _ signal: String, _ arguments: [SignalArgument], result look: (UnsafePointer<GValue>) -> Void = { _ in }
    ) {
        let type = cgst_object_type(ref.pointer)
        let id = g_signal_lookup(signal, type)
        guard id != 0 else { return }
        var query = GSignalQuery()
        g_signal_query(id, &query)
        var values = [GValue](repeating: GValue(), count: arguments.count + 1)
        values.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            g_value_init(base, type)
            g_value_set_object(base, ref.pointer)
            for (index, argument) in arguments.enumerated() { argument.write(to: base + index + 1) }
            var result = GValue()
            let returnsValue = query.return_type != cgst_type_none()
            if returnsValue {
                g_value_init(&result, query.return_type)
                g_signal_emitv(base, id, 0, &result)
                look(&result)
                g_value_unset(&result)
            } else {
                g_signal_emitv(base, id, 0, nil)
            }
            for index in buffer.indices { g_value_unset(base + index) }
        }
    }

    /// The object that an action signal returns.
    func object(of signal: String, _ arguments: [SignalArgument]) -> AnyGObject? {
        var object: AnyGObject?
        emit(signal, arguments) { result in
            guard cgst_value_holds(result, g_object_get_type()) != 0, let returned = g_value_dup_object(result) else {
                return
            }
            object = AnyGObject(ref: GObjectRef(owning: returned.cast()))
        }
        return object
    }
}
