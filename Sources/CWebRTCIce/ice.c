#include "CWebRTCIce.h"
#include "elements.h"
#include <gst/webrtc/ice.h>
#include <gst/webrtc/icestream.h>
#include <gst/webrtc/icetransport.h>
#include <gst/webrtc/webrtc.h>

typedef struct {
    GstWebRTCICETransport parent;
} CIceTransport;
typedef struct {
    GstWebRTCICETransportClass parent;
} CIceTransportClass;
G_DEFINE_TYPE(CIceTransport, cice_transport, GST_TYPE_WEBRTC_ICE_TRANSPORT)

typedef struct {
    GstWebRTCICEStream parent;
    GstWebRTCICETransport *transport;
    // The agent, which owns this stream; NULL after its end.
    GWeakRef ice;
} CIceStream;
typedef struct {
    GstWebRTCICEStreamClass parent;
} CIceStreamClass;
G_DEFINE_TYPE(CIceStream, cice_stream, GST_TYPE_WEBRTC_ICE_STREAM)

typedef struct {
    GstWebRTCICE parent;
    CIceActions actions;
    void *owner;
    // webrtcbin keeps bare pointers to the stream and its elements, so they live as long as the agent.
    CIceStream *stream;
    GstElement *source, *sink;
    NiceAgent *agent;
    GMutex lock;
    // The m-line that the stream belongs to.
    guint session;
} CIce;
typedef struct {
    GstWebRTCICEClass parent;
} CIceClass;
G_DEFINE_TYPE(CIce, cice, GST_TYPE_WEBRTC_ICE)

// MARK: Transport and stream

static void cice_transport_class_init(CIceTransportClass *klass) {}
static void cice_transport_init(CIceTransport *self) {}

// The result has a new reference.
static GstWebRTCICETransport *cice_stream_find_transport(GstWebRTCICEStream *stream, GstWebRTCICEComponent component) {
    return gst_object_ref(((CIceStream *)stream)->transport);
}

// webrtcbin asks again with each local description.
static gboolean cice_stream_gather(GstWebRTCICEStream *stream) {
    CIce *ice = g_weak_ref_get(&((CIceStream *)stream)->ice);
    if (!ice) return FALSE;
    ice->actions.gather(ice->owner);
    g_object_unref(ice);
    return TRUE;
}

static void cice_stream_finalize(GObject *object) {
    CIceStream *self = (CIceStream *)object;
    gst_object_unref(self->transport);
    g_weak_ref_clear(&self->ice);
    G_OBJECT_CLASS(cice_stream_parent_class)->finalize(object);
}

static void cice_stream_class_init(CIceStreamClass *klass) {
    GstWebRTCICEStreamClass *stream = GST_WEBRTC_ICE_STREAM_CLASS(klass);
    stream->find_transport = cice_stream_find_transport;
    stream->gather_candidates = cice_stream_gather;
    G_OBJECT_CLASS(klass)->finalize = cice_stream_finalize;
}

static void cice_stream_init(CIceStream *self) { g_weak_ref_init(&self->ice, NULL); }

// MARK: What webrtcbin calls

// All media is bundled and RTCP is multiplexed: there is one stream of one component.
static GstWebRTCICEStream *cice_add_stream(GstWebRTCICE *ice, guint session) {
    CIce *self = (CIce *)ice;
    self->session = session;
    // From 1.26.10 on webrtcbin takes over a reference.
    guint minor, micro;
    gst_version(&(guint){0}, &minor, &micro, &(guint){0});
    if (minor > 26 || (minor == 26 && micro >= 10)) gst_object_ref(self->stream);
    return (GstWebRTCICEStream *)self->stream;
}
static GstWebRTCICETransport *cice_find_transport(
    GstWebRTCICE *ice, GstWebRTCICEStream *stream, GstWebRTCICEComponent component) {
    return gst_webrtc_ice_stream_find_transport(stream, component);
}
static gboolean cice_gather(GstWebRTCICE *ice, GstWebRTCICEStream *stream) {
    return gst_webrtc_ice_stream_gather_candidates(stream);
}
static void cice_add_candidate(GstWebRTCICE *ice, GstWebRTCICEStream *stream, const gchar *line) {
    CIce *self = (CIce *)ice;
    self->actions.add_remote_candidate(self->owner, line && *line ? line : NULL);
}
static gboolean cice_set_local_credentials(
    GstWebRTCICE *ice, GstWebRTCICEStream *stream, const gchar *fragment, const gchar *password) {
    CIce *self = (CIce *)ice;
    self->actions.set_local_credentials(self->owner, fragment, password);
    return TRUE;
}
static gboolean cice_set_remote_credentials(
    GstWebRTCICE *ice, GstWebRTCICEStream *stream, const gchar *fragment, const gchar *password) {
    CIce *self = (CIce *)ice;
    self->actions.set_remote_credentials(self->owner, fragment, password);
    return TRUE;
}
static void cice_set_is_controller(GstWebRTCICE *ice, gboolean is_controlling) {
    CIce *self = (CIce *)ice;
    self->actions.set_controlling(self->owner, is_controlling);
}
static gboolean cice_get_is_controller(GstWebRTCICE *ice) {
    CIce *self = (CIce *)ice;
    return self->actions.is_controlling(self->owner);
}
// Local candidates are reported to the engine, not to webrtcbin, which would pass them on in a task of its own.
static void cice_set_on_ice_candidate(
    GstWebRTCICE *ice, GstWebRTCICEOnCandidateFunc function, gpointer data, GDestroyNotify free) {
    if (free) free(data);
}
static void cice_set_tos(GstWebRTCICE *ice, GstWebRTCICEStream *stream, guint tos) {
    // Nobody sets the priority of a transceiver, from which webrtcbin derives this.
}

// The servers and the policy are set on the agent itself.
static gboolean cice_add_turn_server(GstWebRTCICE *ice, const gchar *uri) { return FALSE; }
static void cice_set_force_relay(GstWebRTCICE *ice, gboolean force_relay) {}
static void cice_set_uri(GstWebRTCICE *ice, const gchar *uri) {}
static gchar *cice_get_uri(GstWebRTCICE *ice) { return NULL; }

// From 1.24 on there is a fourth argument, and from 1.28 on a function more, which webrtcbin requires.
static void cice_add_candidate_1_24(
    GstWebRTCICE *ice, GstWebRTCICEStream *stream, const gchar *line, GstPromise *promise) {
    cice_add_candidate(ice, stream, line);
    if (promise) gst_promise_reply(promise, NULL);
}
static void cice_close_1_28(GstWebRTCICE *ice, GstPromise *promise) {
    if (promise) gst_promise_reply(promise, NULL);
}

// MARK: Candidates for statistics

static GstWebRTCICECandidateStats *cice_candidate(NiceCandidate *candidate, gboolean is_local, guint stream) {
    static const gchar *types[] = {"host", "srflx", "prflx", "relay"};
    GstWebRTCICECandidateStats *result = g_new0(GstWebRTCICECandidateStats, 1);
    gchar address[NICE_ADDRESS_STRING_LEN];
    nice_address_to_string(&candidate->addr, address);
    result->ipaddr = g_strdup(address);
    result->port = nice_address_get_port(&candidate->addr);
    result->stream_id = stream;
    result->type = types[candidate->type];
    result->prio = candidate->priority;
    result->proto = candidate->transport == NICE_CANDIDATE_TRANSPORT_UDP ? "udp" : "tcp";
    if (is_local) result->url = g_strdup("");
    return result;
}

static GstWebRTCICECandidateStats **cice_candidates(CIce *self, gboolean is_local) {
    GPtrArray *result = g_ptr_array_new();
    guint stream = ((GstWebRTCICEStream *)self->stream)->stream_id;
    g_mutex_lock(&self->lock);
    NiceAgent *agent = self->agent ? g_object_ref(self->agent) : NULL;
    g_mutex_unlock(&self->lock);
    GSList *found = NULL;
    if (agent)
        found = is_local ? nice_agent_get_local_candidates(agent, stream, NICE_COMPONENT_TYPE_RTP)
                         : nice_agent_get_remote_candidates(agent, stream, NICE_COMPONENT_TYPE_RTP);
    for (GSList *entry = found; entry; entry = entry->next)
        g_ptr_array_add(result, cice_candidate(entry->data, is_local, stream));
    g_slist_free_full(found, (GDestroyNotify)nice_candidate_free);
    g_clear_object(&agent);
    g_ptr_array_add(result, NULL);
    return (GstWebRTCICECandidateStats **)g_ptr_array_free(result, FALSE);
}
static GstWebRTCICECandidateStats **cice_get_local_candidates(GstWebRTCICE *ice, GstWebRTCICEStream *stream) {
    return cice_candidates((CIce *)ice, TRUE);
}
static GstWebRTCICECandidateStats **cice_get_remote_candidates(GstWebRTCICE *ice, GstWebRTCICEStream *stream) {
    return cice_candidates((CIce *)ice, FALSE);
}
static gboolean cice_get_selected_pair(
    GstWebRTCICE *ice, GstWebRTCICEStream *stream, GstWebRTCICECandidateStats **local,
    GstWebRTCICECandidateStats **remote) {
    CIce *self = (CIce *)ice;
    guint number = ((GstWebRTCICEStream *)self->stream)->stream_id;
    NiceCandidate *own, *other;
    g_mutex_lock(&self->lock);
    NiceAgent *agent = self->agent ? g_object_ref(self->agent) : NULL;
    g_mutex_unlock(&self->lock);
    gboolean is_selected =
        agent && nice_agent_get_selected_pair(agent, number, NICE_COMPONENT_TYPE_RTP, &own, &other);
    if (is_selected) {
        *local = cice_candidate(own, TRUE, number);
        *remote = cice_candidate(other, FALSE, number);
    }
    g_clear_object(&agent);
    return is_selected;
}

// MARK: The DTLS handshake

static void cice_sent_handshake(gpointer ice, gconstpointer bytes, guint length) {
    CIce *self = ice;
    self->actions.sent_handshake(self->owner, bytes, length);
}
static void cice_received_handshake(gpointer ice, gconstpointer bytes, guint length) {
    CIce *self = ice;
    self->actions.received_handshake(self->owner, bytes, length);
}
static void cice_received_media(gpointer ice) {
    CIce *self = ice;
    self->actions.received_media(self->owner);
}
static const CIceHandshake cice_handshake = {cice_sent_handshake, cice_received_handshake, cice_received_media};

// MARK: Life

static void cice_finalize(GObject *object) {
    CIce *self = (CIce *)object;
    g_clear_object(&self->agent);
    gst_object_unref(self->stream);
    gst_object_unref(self->source);
    gst_object_unref(self->sink);
    g_mutex_clear(&self->lock);
    self->actions.release(self->owner);
    G_OBJECT_CLASS(cice_parent_class)->finalize(object);
}

static void cice_class_init(CIceClass *klass) {
    GstWebRTCICEClass *ice = GST_WEBRTC_ICE_CLASS(klass);
    G_OBJECT_CLASS(klass)->finalize = cice_finalize;
    ice->add_stream = cice_add_stream;
    ice->find_transport = cice_find_transport;
    ice->gather_candidates = cice_gather;
    ice->set_local_credentials = cice_set_local_credentials;
    ice->set_remote_credentials = cice_set_remote_credentials;
    ice->add_turn_server = cice_add_turn_server;
    ice->set_is_controller = cice_set_is_controller;
    ice->get_is_controller = cice_get_is_controller;
    ice->set_force_relay = cice_set_force_relay;
    ice->set_stun_server = ice->set_turn_server = ice->set_http_proxy = cice_set_uri;
    ice->get_stun_server = ice->get_turn_server = ice->get_http_proxy = cice_get_uri;
    ice->set_tos = cice_set_tos;
    ice->set_on_ice_candidate = cice_set_on_ice_candidate;
    ice->get_local_candidates = cice_get_local_candidates;
    ice->get_remote_candidates = cice_get_remote_candidates;
    ice->get_selected_pair = cice_get_selected_pair;
    // A program that was built with the headers of 1.22 may run with a later release.
    guint minor;
    gst_version(&(guint){0}, &minor, &(guint){0}, &(guint){0});
    ice->add_candidate = (void *)(minor < 23 ? (GCallback)cice_add_candidate : (GCallback)cice_add_candidate_1_24);
#if GST_CHECK_VERSION(1, 27, 0)
    ice->close = cice_close_1_28;
#else
    if (minor >= 27) ice->_gst_reserved[0] = (gpointer)cice_close_1_28;
#endif
}

static void cice_init(CIce *self) {
    g_mutex_init(&self->lock);
    self->source = cice_source_new(self, &cice_handshake);
    self->sink = cice_sink_new(self, &cice_handshake);
    self->stream = gst_object_ref_sink(g_object_new(cice_stream_get_type(), NULL));
    GstWebRTCICETransport *transport = gst_object_ref_sink(
        g_object_new(cice_transport_get_type(), "component", GST_WEBRTC_ICE_COMPONENT_RTP, NULL));
    transport->src = self->source;
    transport->sink = self->sink;
    self->stream->transport = transport;
    g_weak_ref_set(&self->stream->ice, self);
}

void *cice_new(CIceActions actions, void *owner) {
    CIce *self = gst_object_ref_sink(g_object_new(cice_get_type(), NULL));
    self->actions = actions;
    self->owner = owner;
    return self;
}

void *cice_source(void *ice) { return ((CIce *)ice)->source; }

void *cice_sink(void *ice) { return ((CIce *)ice)->sink; }

void cice_deliver(void *ice, void *buffer) { cice_sink_deliver(((CIce *)ice)->sink, buffer); }

void cice_note_sent(void *ice, void *buffer) { cice_sink_note_sent(((CIce *)ice)->sink, buffer); }

void cice_send_through(void *ice, void *agent, unsigned stream) {
    CIce *self = ice;
    g_mutex_lock(&self->lock);
    g_set_object(&self->agent, agent);
    ((GstWebRTCICEStream *)self->stream)->stream_id = stream;
    g_mutex_unlock(&self->lock);
    cice_sink_send_through(self->sink, agent, stream);
}

void cice_receive_from(void *ice, void *agent, unsigned stream, void *context) {
    nice_agent_attach_recv(
        agent, stream, NICE_COMPONENT_TYPE_RTP, context, cice_source_receive, ((CIce *)ice)->source);
}

static void cice_discard(NiceAgent *agent, guint stream, guint component, guint length, gchar *bytes, gpointer data) {}

void cice_stop_receiving(void *agent, unsigned stream, void *context) {
    // Without a function libnice would leave the packets in the socket, which then wakes the thread without end; the TURN server's
    // answers would stay there, too.
    nice_agent_attach_recv(agent, stream, NICE_COMPONENT_TYPE_RTP, context, cice_discard, NULL);
}

unsigned cice_session(void *ice) { return ((CIce *)ice)->session; }

void cice_report_connection(void *ice, unsigned state) {
    gst_webrtc_ice_transport_connection_state_change(((CIce *)ice)->stream->transport, state);
}

void cice_report_gathering(void *ice, unsigned state) {
    gst_webrtc_ice_transport_gathering_state_change(((CIce *)ice)->stream->transport, state);
}

void cice_report_selected_pair(void *ice) {
    gst_webrtc_ice_transport_selected_pair_change(((CIce *)ice)->stream->transport);
}
