internal import Foundation

/// Finds the Debian package of a GStreamer element.
public enum DebianPackage {
    /// The package that has `element`; nil for elements that the engine does not use.
    public static func providing(element: String) -> String? { packages[element] }

    /// What to do about a missing element, for the end of an error line.
    ///
    /// - Parameter isInstalled: whether this machine has a package.
    static func advice(forElement element: String, isInstalled: (String) -> Bool = isInstalled) -> String {
        guard let package = providing(element: element) else {
            return "find its package with: apt-file search libgst, or gst-inspect-1.0 --exists \(element)"
        }
        guard isInstalled(package) else { return "apt install \(package)" }
        if ofDevices.contains(element) {
            return "its package \(package) is installed, but this machine has no device or driver for it"
        }
        return "its package \(package) is installed, but GStreamer does not load it; gst-inspect-1.0 -b says why"
    }

    /// Elements that their plugins register only where the hardware exists.
    private static let ofDevices: Set<String> = ["v4l2h264enc", "vah264enc", "vaapih264enc"]

    /// Whether dpkg lists the files of a package.
    private static func isInstalled(_ package: String) -> Bool {
        let folder = "/var/lib/dpkg/info"
        if FileManager.default.fileExists(atPath: "\(folder)/\(package).list") { return true }
        // A package that may be installed for several architectures.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { $0.hasPrefix("\(package):") && $0.hasSuffix(".list") }
    }

    private static let packages: [String: String] = {
        let contents: [String: [String]] = [
            "libgstreamer1.0-0": [
                "queue", "tee", "fakesink", "capsfilter", "identity", "valve", "filesink", "pipeline", "filesrc",
                "clocksync",
            ],
            "gstreamer1.0-plugins-base": [
                "videotestsrc", "audiotestsrc", "videoconvert", "videoscale", "videorate", "audioconvert",
                "audioresample", "opusenc", "opusdec", "appsrc", "appsink", "volume", "decodebin",
            ],
            "gstreamer1.0-plugins-good": [
                "vp8enc", "vp8dec", "vp9enc", "vp9dec", "rtpvp8pay", "rtpvp8depay", "rtph264pay", "rtph264depay",
                "rtpopuspay", "rtpopusdepay", "rtpbin", "rtpsession", "rtpjitterbuffer", "rtphdrextclientaudiolevel",
                "matroskamux", "webmmux",
                "mp4mux", "v4l2src", "v4l2sink",
                "rtpvp9pay", "rtpvp9depay", "rtppcmupay", "rtppcmudepay", "rtppcmapay", "rtppcmadepay", "rtpg722pay",
                "rtpg722depay", "mulawenc", "mulawdec", "alawenc", "alawdec", "rtspsrc", "pulsesrc", "pulsesink",
                "level",
                "videoflip", "jpegdec", "jpegenc", "pngenc", "ximagesrc", "audioamplify", "audiocheblimit",
                "rtpdtmfmux", "rtpdtmfsrc", "rtpdtmfdepay", "rtph265pay", "rtph265depay", "v4l2h264enc",
                "autovideosink", "capssetter", "imagefreeze", "gdkpixbufdec",
            ],
            "gstreamer1.0-plugins-bad": [
                "webrtcbin", "dtlsenc", "dtlsdec", "dtlssrtpenc", "dtlssrtpdec", "srtpenc", "srtpdec", "sctpenc",
                "sctpdec", "proxysrc", "proxysink", "h264parse", "openh264enc", "openh264dec", "webrtcdsp",
                "webrtcechoprobe", "audiobuffersplit", "x265enc", "h265parse", "vah264enc", "av1parse",
                "waylandsink",
            ],
            "gstreamer1.0-x": ["ximagesink", "xvimagesink"],
            "gstreamer1.0-plugins-ugly": ["x264enc"],
            "gstreamer1.0-libav": ["avdec_h264", "avdec_h265", "avenc_g722", "avdec_g722"],
            "gstreamer1.0-vaapi": ["vaapih264enc"],
            "gstreamer1.0-nice": ["nicesrc", "nicesink"],
            "gstreamer1.0-alsa": ["alsasrc", "alsasink"],
            "gstreamer1.0-pipewire": ["pipewiresrc", "pipewiresink"],
        ]
        var packages: [String: String] = [:]
        for (package, elements) in contents { for element in elements { packages[element] = package } }
        return packages
    }()
}
