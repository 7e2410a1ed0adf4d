/* A call between two webrtcbins in one process, written in C with nothing but media: the engine's CPU time is compared with it.
 *
 * Usage: call-graph SECONDS. The graph and the settings of its elements are those of the engine's own pipelines, with the encoders of FEC that
 * webrtcbin adds and the engine removes: 640x360 at 30 frames a second in VP8 at 1,000 kbit/s and a tone in Opus at 48 kbit/s, in both
 * directions, decoded at both ends. Lost video is requested again, and each end reports every 50 ms when packets arrived. After five seconds it
 * measures for SECONDS, then prints a line of JSON: the CPU time used and the frames decoded meanwhile. It fails when no such report arrived. */
#include <gst/gst.h>
#include <gst/sdp/sdp.h>
#define GST_USE_UNSTABLE_API
#include <gst/webrtc/webrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define WARM_UP_SECONDS 5
#define TRANSPORT_WIDE "extmap-3=(string)\"http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01\", rtcp-fb-transport-cc=true"

struct end {
    const char *name;
    GstElement *pipeline, *webrtc;
    struct end *other;
    gint frames, reports;
};

static struct end caller = {.name = "caller"}, callee = {.name = "callee"};

static GstElement *part(const char *text) {
    GError *error = NULL;
    GstElement *bin = gst_parse_bin_from_description(text, TRUE, &error);
    if (error) g_error("%s: %s", text, error->message);
    return bin;
}

static GstPadProbeReturn count(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    g_atomic_int_inc(&((struct end *)data)->frames);
    return GST_PAD_PROBE_OK;
}

/* Decodes received media and discards it. */
static void connect_pad(GstElement *webrtc, GstPad *pad, gpointer data) {
    struct end *end = data;
    if (GST_PAD_DIRECTION(pad) != GST_PAD_SRC) return;
    GstCaps *caps = gst_pad_get_current_caps(pad);
    gboolean video = g_str_equal(gst_structure_get_string(gst_caps_get_structure(caps, 0), "media"), "video");
    gst_caps_unref(caps);
    GstElement *decoder = part(
        video ? "rtpvp8depay request-keyframe=true ! vp8dec threads=1 automatic-request-sync-points=true ! fakesink name=sink sync=false async=false"
              : "rtpopusdepay ! capssetter caps=audio/x-opus,channels=1 ! opusdec plc=true ! fakesink name=sink sync=false async=false");
    gst_bin_add(GST_BIN(end->pipeline), decoder);
    gst_element_sync_state_with_parent(decoder);
    if (video) {
        GstElement *sink = gst_bin_get_by_name(GST_BIN(decoder), "sink");
        GstPad *input = gst_element_get_static_pad(sink, "sink");
        gst_pad_add_probe(input, GST_PAD_PROBE_TYPE_BUFFER, count, end, NULL);
        gst_object_unref(input);
        gst_object_unref(sink);
    }
    GstPad *input = gst_element_get_static_pad(decoder, "sink");
    gst_pad_link(pad, input);
    gst_object_unref(input);
}

static void pass_candidate(GstElement *webrtc, guint line, char *candidate, gpointer data) {
    g_signal_emit_by_name(((struct end *)data)->other->webrtc, "add-ice-candidate", line, candidate);
}

/* Waits for the reply, which comes from webrtcbin's own thread. */
static GstWebRTCSessionDescription *create(struct end *end, const char *kind) {
    GstPromise *promise = gst_promise_new();
    char *action = g_strconcat("create-", kind, NULL);
    GstWebRTCSessionDescription *description = NULL;
    g_signal_emit_by_name(end->webrtc, action, NULL, promise);
    if (gst_promise_wait(promise) != GST_PROMISE_RESULT_REPLIED) g_error("%s: no %s", end->name, kind);
    gst_structure_get(gst_promise_get_reply(promise), kind, GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &description, NULL);
    if (!description) g_error("%s: no %s", end->name, kind);
    gst_promise_unref(promise);
    g_free(action);
    return description;
}

static void set(struct end *end, const char *action, GstWebRTCSessionDescription *description) {
    GstPromise *promise = gst_promise_new();
    g_signal_emit_by_name(end->webrtc, action, description, promise);
    gst_promise_wait(promise);
    gst_promise_unref(promise);
}

static void note_report(GObject *session, GParamSpec *property, gpointer data) { g_atomic_int_inc(&((struct end *)data)->reports); }

static void tune(GstBin *bin, GstBin *sub, GstElement *element, gpointer data) {
    GstElementFactory *factory = gst_element_get_factory(element);
    if (!factory || !g_str_equal(GST_OBJECT_NAME(factory), "rtpsession")) return;
    GObject *session = NULL;
    g_object_get(element, "internal-session", &session, NULL);
    g_object_set(element, "bandwidth", 1000000.0, NULL);
    g_object_set(session, "twcc-feedback-interval", 50 * GST_MSECOND, NULL);
    g_signal_connect(element, "notify::twcc-stats", G_CALLBACK(note_report), data);
    g_object_unref(session);
}

static void request_lost(GstElement *webrtc, GstWebRTCRTPTransceiver *transceiver, gpointer data) {
    GstWebRTCKind kind;
    g_object_get(transceiver, "kind", &kind, NULL);
    if (kind == GST_WEBRTC_KIND_VIDEO) g_object_set(transceiver, "do-nack", TRUE, NULL);
}

static void build(struct end *end, struct end *other, const char *pattern, int hertz) {
    char *text = g_strdup_printf(
        "webrtcbin name=webrtc bundle-policy=max-bundle latency=60 "
        "videotestsrc is-live=true pattern=%s ! video/x-raw,format=I420,width=640,height=360,framerate=30/1 ! queue ! "
        "vp8enc deadline=1 cpu-used=-8 threads=1 lag-in-frames=0 end-usage=cbr keyframe-max-dist=3000 max-intra-bitrate=300 "
        "buffer-initial-size=100 buffer-optimal-size=120 buffer-size=150 error-resilient=default target-bitrate=1000000 ! "
        "rtpvp8pay picture-id-mode=15-bit mtu=1200 pt=96 ! application/x-rtp,media=video,encoding-name=VP8,payload=96," TRANSPORT_WIDE " ! webrtc. "
        "audiotestsrc is-live=true freq=%d volume=0.5 samplesperbuffer=960 ! audio/x-raw,rate=48000,channels=1 ! queue ! "
        "opusenc audio-type=generic frame-size=20 complexity=5 bitrate=48000 ! "
        "rtpopuspay mtu=1200 pt=111 ! application/x-rtp,media=audio,encoding-name=OPUS,payload=111," TRANSPORT_WIDE " ! webrtc.",
        pattern, hertz);
    GError *error = NULL;
    end->pipeline = gst_parse_launch(text, &error);
    if (error) g_error("%s", error->message);
    g_free(text);
    end->other = other;
    end->webrtc = gst_bin_get_by_name(GST_BIN(end->pipeline), "webrtc");
    GObject *ice = NULL, *agent = NULL;
    g_object_get(end->webrtc, "ice-agent", &ice, NULL);
    g_object_get(ice, "agent", &agent, NULL);
    g_object_set(ice, "ice-tcp", FALSE, NULL);
    g_object_set(agent, "upnp", FALSE, NULL);
    gboolean added = FALSE;
    g_signal_emit_by_name(ice, "add-local-ip-address", "127.0.0.1", &added);
    g_object_unref(agent);
    g_object_unref(ice);
    g_signal_connect(end->webrtc, "deep-element-added", G_CALLBACK(tune), end);
    g_signal_connect(end->webrtc, "on-new-transceiver", G_CALLBACK(request_lost), NULL);
    g_signal_connect(end->webrtc, "on-ice-candidate", G_CALLBACK(pass_candidate), end);
    g_signal_connect(end->webrtc, "pad-added", G_CALLBACK(connect_pad), end);
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv) {
    int seconds = argc > 1 ? atoi(argv[1]) : 0;
    if (seconds < 1) {
        fprintf(stderr, "usage: call-graph SECONDS\n");
        return 2;
    }
    gst_init(NULL, NULL);
    build(&caller, &callee, "ball", 440);
    build(&callee, &caller, "smpte", 660);
    gst_element_set_state(caller.pipeline, GST_STATE_PLAYING);
    gst_element_set_state(callee.pipeline, GST_STATE_PLAYING);
    GstWebRTCSessionDescription *offer = create(&caller, "offer");
    set(&caller, "set-local-description", offer);
    set(&callee, "set-remote-description", offer);
    GstWebRTCSessionDescription *answer = create(&callee, "answer");
    set(&callee, "set-local-description", answer);
    set(&caller, "set-remote-description", answer);
    g_usleep(WARM_UP_SECONDS * G_USEC_PER_SEC);
    double before = cpu_seconds();
    int frames = g_atomic_int_get(&caller.frames) + g_atomic_int_get(&callee.frames);
    g_usleep(seconds * (gulong)G_USEC_PER_SEC);
    printf("{\"cpuSeconds\": %.3f, \"frames\": %d}\n", cpu_seconds() - before,
           g_atomic_int_get(&caller.frames) + g_atomic_int_get(&callee.frames) - frames);
    fflush(stdout);
    if (!g_atomic_int_get(&caller.reports) || !g_atomic_int_get(&callee.reports)) g_error("no report about the arrival of packets");
    gst_element_set_state(caller.pipeline, GST_STATE_NULL);
    gst_element_set_state(callee.pipeline, GST_STATE_NULL);
    return 0;
}
