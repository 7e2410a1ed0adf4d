// The elements that were inserted last, up to a limit, so that new names without end cannot fill the memory.

export class RecentSet {
  #elements = new Set();

  constructor(capacity) {
    this.capacity = capacity;
  }

  has(element) {
    return this.#elements.has(element);
  }

  /** An element that is inserted again keeps its place. */
  add(element) {
    this.#elements.add(element);
    if (this.#elements.size > this.capacity) this.#elements.delete(this.#elements.values().next().value);
  }
}
