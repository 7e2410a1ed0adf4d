#pragma once
#define GST_USE_UNSTABLE_API
#include <glib-unix.h>
#include <gst/app/gstappsrc.h>
#include <gst/audio/audio.h>
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/rtp/gstrtphdrext.h>
#include <gst/sdp/sdp.h>
#include <gst/video/video.h>
#include <gst/webrtc/webrtc.h>
#include <malloc.h>
#include <nice/nice.h>
#include <stun/usages/ice.h>

// Only what Swift cannot import: macros and bit fields. Nothing here has logic of its own.

// Fundamental GTypes are casts inside macros.
static inline GType cgst_type_string(void) { return G_TYPE_STRING; }
static inline GType cgst_type_uint(void) { return G_TYPE_UINT; }
static inline GType cgst_type_int(void) { return G_TYPE_INT; }
static inline GType cgst_type_boolean(void) { return G_TYPE_BOOLEAN; }
static inline GType cgst_type_double(void) { return G_TYPE_DOUBLE; }
static inline GType cgst_type_uint64(void) { return G_TYPE_UINT64; }
static inline GType cgst_type_int64(void) { return G_TYPE_INT64; }
// By its name, since GLib calls the function deprecated; rtpsession uses the type. 0 until then.
static inline GType cgst_type_value_array(void) { return g_type_from_name("GValueArray"); }
static inline GType cgst_type_none(void) { return G_TYPE_NONE; }
static inline GType cgst_value_type(const GValue *v) { return G_VALUE_TYPE(v); }
static inline gboolean cgst_value_holds(const GValue *v, GType t) { return G_VALUE_HOLDS(v, t); }
static inline gboolean cgst_value_holds_enum(const GValue *v) { return G_VALUE_HOLDS_ENUM(v); }
static inline GType cgst_object_type(gpointer o) { return G_OBJECT_TYPE(o); }

// GST_CLOCK_TIME_NONE is a cast of -1.
static inline GstClockTime cgst_clock_time_none(void) { return GST_CLOCK_TIME_NONE; }

// A type check is a macro.
static inline gboolean cgst_is_app_src(gpointer o) { return GST_IS_APP_SRC(o); }

// gst_buffer_copy is a macro or an inline function, depending on the version.
static inline GstBuffer *cgst_buffer_copy(const GstBuffer *b) { return gst_buffer_copy(b); }

// GValueArray is deprecated, and still what an event holds.
static inline const GValueArray *cgst_structure_array(const GstStructure *s, const char *field) {
    const GValue *value = gst_structure_get_value(s, field);
    if (!value) return NULL;
    G_GNUC_BEGIN_IGNORE_DEPRECATIONS
    return G_VALUE_HOLDS(value, G_TYPE_VALUE_ARRAY) ? g_value_get_boxed(value) : NULL;
    G_GNUC_END_IGNORE_DEPRECATIONS
}
static inline guint cgst_structure_array_length(const GstStructure *s, const char *field) {
    const GValueArray *array = cgst_structure_array(s, field);
    return array ? array->n_values : 0;
}
static inline const GstStructure *cgst_structure_array_element(const GstStructure *s, const char *field, guint i) {
    const GValueArray *array = cgst_structure_array(s, field);
    return array && i < array->n_values && GST_VALUE_HOLDS_STRUCTURE(&array->values[i])
        ? gst_value_get_structure(&array->values[i]) : NULL;
}

// The number of planes is a macro over a table.
static inline guint cgst_video_info_planes(const GstVideoInfo *info) { return GST_VIDEO_INFO_N_PLANES(info); }

// The stream lock of a pad is a macro over a recursive mutex.
static inline void cgst_pad_stream_lock(GstPad *pad) { GST_PAD_STREAM_LOCK(pad); }
static inline void cgst_pad_stream_unlock(GstPad *pad) { GST_PAD_STREAM_UNLOCK(pad); }
