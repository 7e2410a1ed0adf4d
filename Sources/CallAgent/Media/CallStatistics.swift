public import MediaEngine

/// What a call's connection did in an interval, and in total.
public struct CallStatistics: Sendable, Equatable {
    /// The totals, with W3C's names.
    public var report: StatisticsReport
    /// What happened since the previous report; in the first one, since the beginning.
    public var delta: StatisticsDelta
}
