import Testing

@testable import MediaEngine

@Suite("The return of freed memory") struct MemoryReturnTests {
    @Test("Requests within one pause share one return, and later requests cause another")
    func once() {
        let waiting = Shared<[@Sendable () -> Void]>([])
        let count = Shared(0)
        let memory = MemoryReturn { work in
            waiting.update { $0.append(work) }
        } work: {
            count.update { $0 += 1 }
        }
        for round in 1...3 {
            for _ in 0..<100 { memory.ask() }
            #expect(count.value == round - 1 && waiting.value.count == 1)
            waiting.update { works in
                defer { works = [] }
                return works
            }.forEach { $0() }
            #expect(count.value == round)
        }
    }

    @Test("A request during a return causes another one")
    func meanwhile() {
        let waiting = Shared<[@Sendable () -> Void]>([])
        let own = Shared<MemoryReturn?>(nil)
        let memory = MemoryReturn { work in
            waiting.update { $0.append(work) }
        } work: {
            own.value?.ask()
        }
        own.set(memory)
        memory.ask()
        waiting.value[0]()
        #expect(waiting.value.count == 2)
        own.set(nil)
    }
}
