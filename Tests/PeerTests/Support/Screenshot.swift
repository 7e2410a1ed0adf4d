import Foundation
import Testing

/// A view of the page that must look as it did when somebody last approved it.
///
/// The approved files are in `Tests/PeerTests/Screenshots`. With `CALLAGENT_WRITE_SCREENSHOTS=1` the tests write these files instead of
/// comparing. A view that differs is written to `.build/test-logs/screenshots`.
struct Screenshot {
    let browser: any Browser
    let kind: BrowserKind

    /// The widths are those of a desktop and of a phone.
    private static let sizes = [(width: 1_280, height: 900), (width: 390, height: 844)]
    private static let isWriting = ProcessInfo.processInfo.environment["CALLAGENT_WRITE_SCREENSHOTS"] == "1"
    private static let failures = ".build/test-logs/screenshots"

    /// Hides what differs from run to run, and sets the one font that the test machines share.
    private static let mask = """
        * { font-family: "DejaVu Sans" !important; animation: none !important; transition: none !important;
            caret-color: transparent !important; outline: none !important; scrollbar-width: none !important; }
        video, .clock, #recent-list small, #who::before, .devices select { visibility: hidden !important; }
        #timeline, #plots, #facts, #notices, .remarks { display: none !important; }
        """

    /// Compares the page in both colour schemes and sizes with the approved files of this name.
    func check(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // The page allows no other style sheets than its own, but scripts may add this kind.
        try await browser.perform(
            """
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(`\(Self.mask)`);
            document.adoptedStyleSheets = [sheet];
            document.activeElement?.blur();
            """)
        for scheme in ColourScheme.allCases {
            try await browser.prefer(scheme)
            for (width, height) in Self.sizes {
                try await browser.resize(width: width, height: height)
                try await eventually("\(width) pixels, \(scheme)", sourceLocation: sourceLocation) {
                    try await browser.evaluate(
                        """
                        scrollTo(0, 0);
                        await document.fonts.ready;
                        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
                        return innerWidth === \(width) && innerHeight === \(height)
                          && matchMedia('(prefers-color-scheme: \(scheme))').matches;
                        """)
                }
                try await compare("\(kind)-\(name)-\(scheme)-\(width).webp", sourceLocation)
            }
        }
        try await browser.prefer(.light)
        try await browser.resize(width: Self.sizes[0].width, height: Self.sizes[0].height)
        try await browser.perform("document.adoptedStyleSheets = []")
    }

    /// Writes what the page shows now to a file, with nothing hidden.
    func save(to path: String) async throws { try await write(browser.screenshot(), to: path) }

    /// Whether the tests write files instead of comparing.
    var isWriting: Bool { Self.isWriting }

    private func compare(_ file: String, _ sourceLocation: SourceLocation) async throws {
        let approved = "Tests/PeerTests/Screenshots/\(file)"
        let shown = try await browser.screenshot()
        if Self.isWriting { return try await write(shown, to: approved) }
        let expected = try Data(contentsOf: URL(fileURLWithPath: approved)).base64EncodedString()
        let differences: [String] = try await browser.evaluate(Self.script(expected, shown))
        if differences.isEmpty { return }
        try FileManager.default.createDirectory(atPath: Self.failures, withIntermediateDirectories: true)
        try await write(shown, to: "\(Self.failures)/\(file)")
        Issue.record(
            "\(file) looks different at \(differences); see \(Self.failures)/\(file)", sourceLocation: sourceLocation)
    }

    /// Saves a PNG file as WebP, which is a quarter of the size.
    private func write(_ png: String, to path: String) async throws {
        let webp: String = try await browser.evaluate(
            """
            \(Self.decoding)
            const canvas = new OffscreenCanvas(1, 1);
            const image = await decoded('\(png)');
            [canvas.width, canvas.height] = [image.width, image.height];
            canvas.getContext('2d').drawImage(image, 0, 0);
            const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })).arrayBuffer());
            return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
            """)
        try #require(Data(base64Encoded: webp)).write(to: URL(fileURLWithPath: path))
    }

    private static let decoding = """
        const decoded = (base64) => createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
        """

    /// The places that differ, compared as means of squares of 8 x 8 pixels.
    ///
    /// Single pixels may differ: WebP is lossy, and the edges of letters depend on the browser's version.
    private static func script(_ expected: String, _ shown: String) -> String {
        """
        \(decoding)
        const size = 8, tolerance = 24, allowed = 12;
        const images = await Promise.all(['\(expected)', '\(shown)'].map(decoded));
        if (images[0].width !== images[1].width || images[0].height !== images[1].height)
          return [`the size, which is ${images[1].width}x${images[1].height}`];
        const { width, height } = images[0];
        const [one, other] = images.map((image) => {
          const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
          context.drawImage(image, 0, 0);
          const { data } = context.getImageData(0, 0, width, height);
          const means = new Float32Array(Math.ceil(width / size) * Math.ceil(height / size) * 3);
          for (let y = 0; y < height; y++)
            for (let x = 0; x < width; x++)
              for (let channel = 0; channel < 3; channel++)
                means[((y / size | 0) * Math.ceil(width / size) + (x / size | 0)) * 3 + channel]
                  += data[(y * width + x) * 4 + channel] / size / size;
          return means;
        });
        const columns = Math.ceil(width / size);
        const places = new Set();
        one.forEach((mean, index) => {
          const block = index / 3 | 0;
          if (Math.abs(mean - other[index]) > tolerance) places.add(`${block % columns * size},${(block / columns | 0) * size}`);
        });
        return places.size > allowed ? [`${places.size} squares`, ...Array.from(places).slice(0, 5)] : [];
        """
    }
}
