#pragma once
#define GST_USE_UNSTABLE_API
#include <gst/gst.h>
#include <nice/agent.h>

// The two ends of a transport. Unlike nicesrc and nicesink they have no thread of their own and may change their agent.

// What the elements report about the DTLS handshake, to `ice`, as long as it lives.
typedef struct {
    void (*sent_handshake)(gpointer ice, gconstpointer bytes, guint length);
    void (*received_handshake)(gpointer ice, gconstpointer bytes, guint length);
    void (*received_media)(gpointer ice);
} CIceHandshake;

GstElement *cice_source_new(gpointer ice, const CIceHandshake *handshake);
void cice_source_receive(NiceAgent *agent, guint stream, guint component, guint length, gchar *bytes, gpointer source);

GstElement *cice_sink_new(gpointer ice, const CIceHandshake *handshake);
/// Sends a buffer that did not come through the pad.
void cice_sink_deliver(GstElement *sink, GstBuffer *buffer);
/// Reports a packet of the handshake that is sent so.
void cice_sink_note_sent(GstElement *sink, GstBuffer *buffer);
void cice_sink_send_through(GstElement *sink, NiceAgent *agent, guint stream);
