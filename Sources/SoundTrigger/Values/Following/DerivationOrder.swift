/// The order in which derived values are computed after an update.
///
/// Each derived value has one base, so the derived values form trees. Each tree is a row in which a value comes after its
/// base. There must be no cycle.
package struct DerivationOrder: Sendable {
  /// A derived value in its tree.
  package struct Step: Equatable, Sendable {
    package var value: ValueID
    package var base: ValueID
    /// The next step if this value was not updated: the one behind everything derived from it.
    package var next: Int
  }

  package private(set) var steps: [Step] = []
  /// Whether no value is derived. Stored, because each update asks, and a computed property would copy all of this.
  package private(set) var isEmpty = true
  /// The steps below each value that is not derived itself.
  private var ranges: [ValueID: Range<Int>] = [:]

  package init() {}

  /// - Parameter derivations: Each derived value once, with its base.
  package init(_ derivations: [(value: ValueID, base: ValueID)]) {
    let children = Dictionary(grouping: derivations, by: \.base)
    /// The index of each derived value's step.
    var indices: [ValueID: Int] = [:]
    let derived = Set(derivations.map(\.value))
    for root in children.keys where !derived.contains(root) {
      let start = steps.count
      // Not recursive, because a chain may contain all values.
      var waiting: [(value: ValueID, base: ValueID)] = children[root, default: []].reversed()
      while let (value, base) = waiting.popLast() {
        indices[value] = steps.count
        steps.append(Step(value: value, base: base, next: steps.count + 1))
        waiting += children[value, default: []].reversed()
      }
      ranges[root] = start..<steps.count
    }
    // Everything derived from a value ends where everything derived from the last of its children ends.
    for step in steps.indices.reversed() {
      if let base = indices[steps[step].base] { steps[base].next = max(steps[base].next, steps[step].next) }
    }
    isEmpty = steps.isEmpty
  }

  /// The steps after an update of a value, in their order; empty for a derived value.
  package func steps(below value: ValueID) -> Range<Int> { ranges[value] ?? 0..<0 }
}
