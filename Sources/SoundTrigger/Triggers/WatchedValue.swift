/// What tells whether a trigger can work on a value that it watches.
package struct WatchedValue: Hashable, Sendable {
  package var name: ValueName
  package var kind: ValueKind
  /// Whether the value has `expect_every`, so that it may become stale.
  package var isExpected: Bool

  package init(_ name: ValueName, _ kind: ValueKind, isExpected: Bool = false) {
    self.name = name
    self.kind = kind
    self.isExpected = isExpected
  }
}
