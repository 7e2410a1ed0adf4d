#include "elements.h"

// The packets of the DTLS handshake that a lost packet delays: change_cipher_spec and handshake (RFC 6347 section 4.1).
static gboolean cice_is_handshake(const guint8 *bytes, gsize length) {
    return length > 0 && (bytes[0] == 20 || bytes[0] == 22);
}

// RTP and RTCP (RFC 7983).
static gboolean cice_is_media(const guint8 *bytes, gsize length) {
    return length > 0 && bytes[0] >= 128 && bytes[0] <= 191;
}

// MARK: Source

typedef struct {
    GstElement parent;
    GstPad *pad;
    gboolean has_started, has_media, has_failed;
    GWeakRef ice;
    const CIceHandshake *handshake;
} CIceSource;
typedef struct {
    GstElementClass parent;
} CIceSourceClass;
G_DEFINE_TYPE(CIceSource, cice_source, GST_TYPE_ELEMENT)

static GstStaticPadTemplate source_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static void cice_source_begin(CIceSource *self) {
    gchar *id = gst_pad_create_stream_id(self->pad, GST_ELEMENT(self), NULL);
    GstEvent *start = gst_event_new_stream_start(id);
    gst_event_set_group_id(start, gst_util_group_id_next());
    gst_pad_push_event(self->pad, start);
    g_free(id);
    GstCaps *caps = gst_caps_new_empty_simple("application/x-rtp");
    gst_pad_push_event(self->pad, gst_event_new_caps(caps));
    gst_caps_unref(caps);
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_pad_push_event(self->pad, gst_event_new_segment(&segment));
    self->has_started = TRUE;
}

static void cice_source_note(CIceSource *self, const guint8 *bytes, guint length) {
    gboolean is_media = cice_is_media(bytes, length);
    if (!is_media && !cice_is_handshake(bytes, length)) return;
    self->has_media = is_media;
    gpointer ice = g_weak_ref_get(&self->ice);
    if (!ice) return;
    if (is_media)
        self->handshake->received_media(ice);
    else
        self->handshake->received_handshake(ice, bytes, length);
    g_object_unref(ice);
}

// GLib takes the socket of a source out of its poll set while it dispatches the source, unless that may recurse. Both changes of the set wake
// the thread again, which costs two writes, a read and a poll for each packet. Nothing here runs the main context in a callback.
static void cice_keep_polling(void) {
    GSource *source = g_main_current_source();
    if (source && !g_source_get_can_recurse(source)) g_source_set_can_recurse(source, TRUE);
}

// Runs on the ICE thread. The buffer ends in a queue of webrtcbin, so DTLS and SRTP do not run there.
void cice_source_receive(NiceAgent *agent, guint stream, guint component, guint length, gchar *bytes, gpointer source) {
    CIceSource *self = source;
    cice_keep_polling();
    // Before that webrtcbin has no queue yet, and libnice has no data.
    if (GST_STATE(self) < GST_STATE_PAUSED) return;
    if (!self->has_started) cice_source_begin(self);
    if (!self->has_media) cice_source_note(self, (const guint8 *)bytes, length);
    GstBuffer *buffer = gst_buffer_new_memdup(bytes, length);
    GstClock *clock = gst_element_get_clock(GST_ELEMENT(self));
    if (clock) {
        GstClockTime now = gst_clock_get_time(clock), base = gst_element_get_base_time(GST_ELEMENT(self));
        if (now > base) GST_BUFFER_PTS(buffer) = GST_BUFFER_DTS(buffer) = now - base;
        gst_object_unref(clock);
    }
    GstFlowReturn flow = gst_pad_push(self->pad, buffer);
    // The queue behind refuses everything from then on.
    if ((flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) && !self->has_failed) {
        self->has_failed = TRUE;
        GST_ELEMENT_FLOW_ERROR(self, flow);
    }
}

static gboolean cice_source_query(GstPad *pad, GstObject *parent, GstQuery *query) {
    if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) return gst_pad_query_default(pad, parent, query);
    gst_query_set_latency(query, TRUE, 0, GST_CLOCK_TIME_NONE);
    return TRUE;
}

static GstStateChangeReturn cice_source_change_state(GstElement *element, GstStateChange change) {
    GstStateChangeReturn result = GST_ELEMENT_CLASS(cice_source_parent_class)->change_state(element, change);
    CIceSource *self = (CIceSource *)element;
    if (change == GST_STATE_CHANGE_PAUSED_TO_READY) self->has_started = self->has_failed = FALSE;
    // Live: there is no data while the pipeline is paused.
    if (change == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_SUCCESS)
        return GST_STATE_CHANGE_NO_PREROLL;
    return result;
}

static void cice_source_finalize(GObject *object) {
    g_weak_ref_clear(&((CIceSource *)object)->ice);
    G_OBJECT_CLASS(cice_source_parent_class)->finalize(object);
}

static void cice_source_class_init(CIceSourceClass *klass) {
    GstElementClass *element = GST_ELEMENT_CLASS(klass);
    gst_element_class_add_static_pad_template(element, &source_template);
    gst_element_class_set_static_metadata(element, "ICE source", "Source/Network", "Pushes what ICE receives", "callagent");
    element->change_state = cice_source_change_state;
    G_OBJECT_CLASS(klass)->finalize = cice_source_finalize;
}

static void cice_source_init(CIceSource *self) {
    g_weak_ref_init(&self->ice, NULL);
    self->pad = gst_pad_new_from_static_template(&source_template, "src");
    gst_pad_set_query_function(self->pad, cice_source_query);
    gst_element_add_pad(GST_ELEMENT(self), self->pad);
    GST_OBJECT_FLAG_SET(self, GST_ELEMENT_FLAG_SOURCE);
}

GstElement *cice_source_new(gpointer ice, const CIceHandshake *handshake) {
    CIceSource *self = gst_object_ref_sink(g_object_new(cice_source_get_type(), NULL));
    g_weak_ref_set(&self->ice, ice);
    self->handshake = handshake;
    return GST_ELEMENT(self);
}

// MARK: Sink

typedef struct {
    GstElement parent;
    GstPad *pad;
    GMutex lock;
    NiceAgent *agent;
    guint stream;
    GWeakRef ice;
    const CIceHandshake *handshake;
} CIceSink;
typedef struct {
    GstElementClass parent;
} CIceSinkClass;
G_DEFINE_TYPE(CIceSink, cice_sink, GST_TYPE_ELEMENT)

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

void cice_sink_send_through(GstElement *sink, NiceAgent *agent, guint stream) {
    CIceSink *self = (CIceSink *)sink;
    g_mutex_lock(&self->lock);
    g_set_object(&self->agent, agent);
    self->stream = stream;
    g_mutex_unlock(&self->lock);
}

static void cice_sink_note(CIceSink *self, const guint8 *bytes, gsize length) {
    gpointer ice = g_weak_ref_get(&self->ice);
    if (!ice) return;
    self->handshake->sent_handshake(ice, bytes, length);
    g_object_unref(ice);
}

void cice_sink_note_sent(GstElement *sink, GstBuffer *buffer) {
    GstMapInfo map;
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) return;
    if (cice_is_handshake(map.data, map.size)) cice_sink_note((CIceSink *)sink, map.data, map.size);
    gst_buffer_unmap(buffer, &map);
}

void cice_sink_deliver(GstElement *sink, GstBuffer *buffer) {
    CIceSink *self = (CIceSink *)sink;
    g_mutex_lock(&self->lock);
    NiceAgent *agent = self->agent ? g_object_ref(self->agent) : NULL;
    guint stream = self->stream;
    g_mutex_unlock(&self->lock);
    GstMapInfo map;
    if (agent && gst_buffer_map(buffer, &map, GST_MAP_READ)) {
        // Without a candidate pair or with a full socket the packet is lost, as on any network.
        nice_agent_send(agent, stream, NICE_COMPONENT_TYPE_RTP, map.size, (const gchar *)map.data);
        gst_buffer_unmap(buffer, &map);
    }
    g_clear_object(&agent);
}

static GstFlowReturn cice_sink_chain(GstPad *pad, GstObject *parent, GstBuffer *buffer) {
    cice_sink_deliver(GST_ELEMENT(parent), buffer);
    cice_sink_note_sent(GST_ELEMENT(parent), buffer);
    gst_buffer_unref(buffer);
    // Never an error: it would stop the RTP session or DTLS for good.
    return GST_FLOW_OK;
}

static gboolean cice_sink_event(GstPad *pad, GstObject *parent, GstEvent *event) {
    gst_event_unref(event);
    return TRUE;
}

static void cice_sink_finalize(GObject *object) {
    CIceSink *self = (CIceSink *)object;
    g_clear_object(&self->agent);
    g_mutex_clear(&self->lock);
    g_weak_ref_clear(&self->ice);
    G_OBJECT_CLASS(cice_sink_parent_class)->finalize(object);
}

static void cice_sink_class_init(CIceSinkClass *klass) {
    GstElementClass *element = GST_ELEMENT_CLASS(klass);
    gst_element_class_add_static_pad_template(element, &sink_template);
    gst_element_class_set_static_metadata(element, "ICE sink", "Sink/Network", "Sends through ICE", "callagent");
    G_OBJECT_CLASS(klass)->finalize = cice_sink_finalize;
}

static void cice_sink_init(CIceSink *self) {
    g_mutex_init(&self->lock);
    g_weak_ref_init(&self->ice, NULL);
    self->pad = gst_pad_new_from_static_template(&sink_template, "sink");
    gst_pad_set_chain_function(self->pad, cice_sink_chain);
    gst_pad_set_event_function(self->pad, cice_sink_event);
    gst_element_add_pad(GST_ELEMENT(self), self->pad);
    // It has no flag of a sink: a pipeline waits until each of those has seen the end of the stream.
}

GstElement *cice_sink_new(gpointer ice, const CIceHandshake *handshake) {
    CIceSink *self = gst_object_ref_sink(g_object_new(cice_sink_get_type(), NULL));
    g_weak_ref_set(&self->ice, ice);
    self->handshake = handshake;
    return GST_ELEMENT(self);
}
