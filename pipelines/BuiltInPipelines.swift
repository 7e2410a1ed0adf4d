/// The pipeline descriptions that the program carries inside itself, by file name.
///
/// A description is added by adding its file to a folder beside this one and its line here; a test compares the two.
public enum BuiltInPipelines {
    /// The contents of every file.
    public static let files: [String: [UInt8]] = [
        "alsa-audio-source.launch": PackageResources.alsa_audio_source_launch,
        "clock-video-source.launch": PackageResources.clock_video_source_launch,
        "file-av-source.launch": PackageResources.file_av_source_launch,
        "frames-video-source.launch": PackageResources.frames_video_source_launch,
        "pipewire-audio-source.launch": PackageResources.pipewire_audio_source_launch,
        "pulse-audio-source.launch": PackageResources.pulse_audio_source_launch,
        "rtsp-av-source.launch": PackageResources.rtsp_av_source_launch,
        "samples-audio-source.launch": PackageResources.samples_audio_source_launch,
        "screen-video-source.launch": PackageResources.screen_video_source_launch,
        "silence-audio-source.launch": PackageResources.silence_audio_source_launch,
        "speech-audio-source.launch": PackageResources.speech_audio_source_launch,
        "test-video-source.launch": PackageResources.test_video_source_launch,
        "tone-audio-source.launch": PackageResources.tone_audio_source_launch,
        "v4l2-h264-video-source.launch": PackageResources.v4l2_h264_video_source_launch,
        "v4l2-mjpeg-video-source.launch": PackageResources.v4l2_mjpeg_video_source_launch,
        "v4l2-video-source.launch": PackageResources.v4l2_video_source_launch,
        "vp8-encoder.launch": PackageResources.vp8_encoder_launch,
        "h264-encoder.launch": PackageResources.h264_encoder_launch,
        "vp9-encoder.launch": PackageResources.vp9_encoder_launch,
        "openh264-encoder.launch": PackageResources.openh264_encoder_launch,
        "pcmu-encoder.launch": PackageResources.pcmu_encoder_launch,
        "pcma-encoder.launch": PackageResources.pcma_encoder_launch,
        "g722-encoder.launch": PackageResources.g722_encoder_launch,
        "opus-encoder.launch": PackageResources.opus_encoder_launch,
        "vp8-decoder.launch": PackageResources.vp8_decoder_launch,
        "h264-decoder.launch": PackageResources.h264_decoder_launch,
        "vp9-decoder.launch": PackageResources.vp9_decoder_launch,
        "openh264-decoder.launch": PackageResources.openh264_decoder_launch,
        "pcmu-decoder.launch": PackageResources.pcmu_decoder_launch,
        "pcma-decoder.launch": PackageResources.pcma_decoder_launch,
        "g722-decoder.launch": PackageResources.g722_decoder_launch,
        "opus-decoder.launch": PackageResources.opus_decoder_launch,
        "discard-video-sink.launch": PackageResources.discard_video_sink_launch,
        "discard-audio-sink.launch": PackageResources.discard_audio_sink_launch,
        "matroska-recorder.launch": PackageResources.matroska_recorder_launch,
    ]
}
