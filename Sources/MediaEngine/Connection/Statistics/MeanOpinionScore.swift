/// How people would rate a conversation over a network, from 1 (bad) to 4.41 (nothing wrong): an estimate by the E-model (ITU-T G.107).
///
/// It rates delay and loss alone. Echo, noise and level count as perfect, and the codec as one that conceals lost packets like G.711 with concealment (G.113 appendix
/// I), since G.113 has no values for Opus.
public enum MeanOpinionScore {
    /// The rating factor of a call with the default values of G.107 and no delay or loss.
    private static let bestRating = 93.2
    /// The loss robustness of G.711 with concealment (G.113 appendix I).
    private static let lossRobustness = 25.1
    /// The largest impairment that loss can cause (G.107 section 7.5).
    private static let totalLoss = 95.0

    /// The estimate.
    ///
    /// - Parameters:
    ///   - delayMs: from mouth to ear, one way, in ms.
    ///   - lossPercent: packets that could not be played, in percent.
    public static func estimate(delayMs: Double, lossPercent: Double) -> Double {
        let (delay, loss) = (max(0, delayMs), min(max(0, lossPercent), 100))
        // Delay by the approximation of Cole and Rosenbluth, "Voice over IP performance monitoring", 2001.
        let delayImpairment = 0.024 * delay + (delay > 177.3 ? 0.11 * (delay - 177.3) : 0)
        let lossImpairment = totalLoss * loss / (loss + lossRobustness)
        let rating = bestRating - delayImpairment - lossImpairment
        guard rating > 0 else { return 1 }
        // G.107 annex B; below a rating of 6.5 it would fall under 1.
        return max(1, 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6)
    }
}
