import Testing

@testable import MediaEngine

/// The estimate of the E-model.
struct MeanOpinionScoreTests {
    private func score(_ delay: Double, _ loss: Double) -> Double {
        MeanOpinionScore.estimate(delayMs: delay, lossPercent: loss)
    }

    @Test("Known points: nothing wrong, 150 ms and 400 ms (G.114), 5 % loss")
    func points() {
        #expect(abs(score(0, 0) - 4.41) < 0.01)
        #expect(abs(score(150, 0) - 4.33) < 0.02)
        // At 400 ms many users are dissatisfied: the rating is about 60.
        #expect(abs(score(400, 0) - 3.06) < 0.1)
        #expect(abs(score(0, 5) - 3.95) < 0.1)
        #expect(score(0, 100) < 1.5)
    }

    @Test("It never rises with delay or loss, and stays within its scale")
    func order() {
        for delay in stride(from: 0.0, through: 2_000, by: 50) {
            for loss in stride(from: 0.0, through: 100, by: 5) {
                let here = score(delay, loss)
                #expect((1...4.42).contains(here))
                #expect(score(delay + 50, loss) <= here && score(delay, loss + 5) <= here)
            }
        }
        #expect(score(-1, -1) == score(0, 0) && score(0, 500) == score(0, 100))
    }
}
