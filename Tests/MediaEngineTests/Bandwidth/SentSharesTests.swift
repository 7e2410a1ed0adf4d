import Testing

@testable import MediaEngine

@Suite("The share of each video in what is sent") struct SentSharesTests {
    @Test("It follows what was sent lately")
    func share() {
        var shares = SentShares()
        shares.note([1: 900, 2: 100], at: 0)
        #expect(abs(shares.share(of: [1]) - 0.9) < 1e-9)
        for step in 1...20 { shares.note([1: 900, 2: 100 + 50 * step], at: 0.5 * Double(step)) }
        #expect(shares.share(of: [2]) > 0.99)
        #expect(shares.share(of: [3]) == 0 && SentShares().share(of: [1]) == 0)
        #expect(abs(shares.share(of: [1, 2]) - 1) < 1e-9)
        // Nobody noted what the first one sent alone.
        shares.note([1: 900_000, 2: 1_100], at: 40)
        shares.note([1: 900_100, 2: 1_200], at: 40.1)
        #expect(abs(shares.share(of: [1]) - 0.5) < 1e-9)
    }
}
