/// The elements that were inserted last, up to a bound.
///
/// A sender that keeps inventing new names cannot fill the memory. An element that is inserted again keeps its place.
package struct RecentSet<Element: Hashable & Sendable>: Sendable {
    private var elements: Set<Element> = []
    private var order: [Element] = []
    private var oldest = 0
    private let capacity: Int

    package init(capacity: Int) { self.capacity = capacity }

    package func contains(_ element: Element) -> Bool { elements.contains(element) }

    package mutating func insert(_ element: Element) {
        guard elements.insert(element).inserted else { return }
        guard order.count == capacity else { return order.append(element) }
        elements.remove(order[oldest])
        order[oldest] = element
        oldest = (oldest + 1) % capacity
    }
}
