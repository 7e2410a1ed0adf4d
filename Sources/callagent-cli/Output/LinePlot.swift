internal import Foundation

/// A figure over time, drawn as SVG.
struct LinePlot {
    let title: String
    /// Times in ms and values, in the order of time; a value that is nil interrupts the line.
    let points: [(ms: Double, value: Double?)]

    private static let (width, height) = (480.0, 150.0)
    private static let (left, right, top, bottom) = (44.0, 8.0, 8.0, 20.0)
    /// More points than columns show nothing more.
    private static let mostPoints = 480

    /// The plot as an HTML figure; empty without any value.
    var html: String {
        let values = points.compactMap(\.value)
        guard let last = points.last, let most = values.max() else { return "" }
        let (span, top) = (max(last.ms, 1), Self.ceiling(most))
        let x = { (ms: Double) in Self.left + ms / span * (Self.width - Self.left - Self.right) }
        let y = { (value: Double) in Self.height - Self.bottom - value / top * (Self.height - Self.top - Self.bottom) }
        let grid = [0, top / 2, top].map { value in
            """
            <line class="grid" x1="\(Self.left)" x2="\(Self.width - Self.right)" y1="\(Self.text(y(value)))" y2="\(Self.text(y(value)))"/>\
            <text x="\(Self.left - 5)" y="\(Self.text(y(value) + 4))" text-anchor="end">\(Self.text(value))</text>
            """
        }
        let times = [0, span / 2, span].enumerated().map { index, ms in
            """
            <text x="\(Self.text(x(ms)))" y="\(Self.height - 5)" text-anchor="\(["start", "middle", "end"][index])">\
            \(Self.text(ms / 1_000)) s</text>
            """
        }
        let lines = segments.map { segment in
            let places = segment.map { "\(Self.text(x($0.ms))),\(Self.text(y($0.value)))" }
            // A single point is a line of no length, which round ends make visible.
            return
                #"<polyline class="series" stroke-linecap="round" points="\#((places.count == 1 ? places + places : places).joined(separator: " "))"/>"#
        }
        let label = "\(title): up to \(Self.text(most))"
        return """
            <figure><figcaption>\(title.markup)</figcaption>\
            <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" aria-label="\(label.markup)">
            \((grid + times + lines).joined(separator: "\n"))
            </svg></figure>
            """
    }

    /// The parts of the line without gaps, with the mean of neighbours if there are too many points.
    private var segments: [[(ms: Double, value: Double)]] {
        let stride = max(1, (points.count + Self.mostPoints - 1) / Self.mostPoints)
        var segments: [[(ms: Double, value: Double)]] = [[]]
        for start in Swift.stride(from: 0, to: points.count, by: stride) {
            let group = points[start..<min(start + stride, points.count)]
            let values = group.compactMap(\.value)
            if values.isEmpty {
                segments.append([])
            } else {
                let value = values.reduce(0, +) / Double(values.count)
                segments[segments.count - 1].append((points[start].ms, value))
            }
        }
        return segments.filter { !$0.isEmpty }
    }

    /// The next number of the form 1, 2 or 5 times a power of ten.
    static func ceiling(_ value: Double) -> Double {
        guard value > 0 else { return 1 }
        let power = pow(10, floor(log10(value)))
        return ([1, 2, 5].first { $0 * power >= value } ?? 10) * power
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded()
            ? String(Int(number)) : String(format: number.magnitude < 1 ? "%.2f" : "%.1f", number)
    }
}
