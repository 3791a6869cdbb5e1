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
  /// The steps below each value that is not derived itself, by its index.
  private var ranges: [Range<Int>] = []

  package init() {}

  /// - Parameter derivations: Each derived value once, with its base.
  package init(_ derivations: [(value: ValueID, base: ValueID)]) {
    guard let last = derivations.map({ max($0.value.index, $0.base.index) }).max() else { return }
    var children: [[ValueID]] = Array(repeating: [], count: last + 1)
    var isDerived = Array(repeating: false, count: last + 1)
    for (value, base) in derivations {
      children[base.index].append(value)
      isDerived[value.index] = true
    }
    ranges = Array(repeating: 0..<0, count: last + 1)
    for root in children.indices where !isDerived[root] && !children[root].isEmpty {
      let start = steps.count
      append(below: ValueID(index: root), children)
      ranges[root] = start..<steps.count
    }
  }

  /// The steps after an update of a value, in their order; empty for a derived value.
  package func steps(below value: ValueID) -> Range<Int> {
    value.index < ranges.count ? ranges[value.index] : 0..<0
  }

  /// Not recursive, because a chain may contain all values.
  private mutating func append(below root: ValueID, _ children: [[ValueID]]) {
    /// The steps whose trees are not complete yet, with the number of children that were appended.
    var open: [(step: Int?, value: ValueID, taken: Int)] = [(nil, root, 0)]
    while let (step, value, taken) = open.last {
      guard taken < children[value.index].count else {
        if let step { steps[step].next = steps.count }
        open.removeLast()
        continue
      }
      open[open.count - 1].taken += 1
      let child = children[value.index][taken]
      steps.append(Step(value: child, base: value, next: steps.count + 1))
      open.append((steps.count - 1, child, 0))
    }
  }
}
