#pragma once

// The GObject classes that make webrtcbin use an ICE agent of this package. All that decides is in Swift (IceAgent).
// The pointers are GObjects; they are untyped here so that this module does not declare GStreamer's types a second time.

/// What webrtcbin asks of the agent, on threads of its own; `owner` is what was given to `cice_new`.
typedef struct {
    void (*gather)(void *owner);
    void (*set_controlling)(void *owner, int is_controlling);
    int (*is_controlling)(void *owner);
    void (*set_local_credentials)(void *owner, const char *fragment, const char *password);
    void (*set_remote_credentials)(void *owner, const char *fragment, const char *password);
    /// `line` begins with `a=candidate:`; NULL after the last candidate.
    void (*add_remote_candidate)(void *owner, const char *line);
    /// A packet of the DTLS handshake is sent.
    void (*sent_handshake)(void *owner, const void *bytes, unsigned length);
    /// A packet of the DTLS handshake arrived.
    void (*received_handshake)(void *owner, const void *bytes, unsigned length);
    /// The first packet of media arrived.
    void (*received_media)(void *owner);
    /// The last call: nothing refers to `owner` any more.
    void (*release)(void *owner);
} CIceActions;

/// Makes a GstWebRTCICE with one stream of one component; the caller owns the reference.
void *cice_new(CIceActions actions, void *owner);
/// The element that pushes what arrives; `ice` owns it.
void *cice_source(void *ice);
/// The element that sends what it gets; `ice` owns it.
void *cice_sink(void *ice);
/// Sends a GstBuffer that an emulated network held back; the caller keeps the reference.
void cice_deliver(void *ice, void *buffer);
/// Reports that this GstBuffer is sent by way of an emulated network, which may lose it.
void cice_note_sent(void *ice, void *buffer);
/// Sends through a stream of a NiceAgent from now on.
void cice_send_through(void *ice, void *agent, unsigned stream);
/// Pushes what a stream of a NiceAgent receives, on the thread of `context`, until `cice_stop_receiving`.
void cice_receive_from(void *ice, void *agent, unsigned stream, void *context);
/// Call it on the thread of `context`: no packet is being pushed there then.
void cice_stop_receiving(void *agent, unsigned stream, void *context);
/// The m-line of the transport: the first one of the bundle.
unsigned cice_session(void *ice);
/// Reports a GstWebRTCICEConnectionState.
void cice_report_connection(void *ice, unsigned state);
/// Reports a GstWebRTCICEGatheringState.
void cice_report_gathering(void *ice, unsigned state);
void cice_report_selected_pair(void *ice);
