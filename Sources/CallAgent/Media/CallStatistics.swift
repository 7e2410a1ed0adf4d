public import MediaEngine

/// What a call's connection did in an interval, and since its beginning.
public struct CallStatistics: Sendable, Equatable {
    /// The totals, under W3C's names.
    public var report: StatisticsReport
    /// What happened since the report before; in the first one, since the beginning.
    public var delta: StatisticsDelta
}
