/// What is remembered of the values from one run to the next.
extension ValueStore {
  /// What is known of a content, for a state file: of a value that has none yet, what was restored; `nil`: nothing.
  package func contentDigest(of id: ValueID) -> SIMD8<UInt32>? {
    records[id.index].value?.digest(as: slots[id.index].kind) ?? lastDigests[names[id.index]]
  }

  /// Takes in what a value's content was when soundd last stopped, whether or not the value is known yet; its appearance
  /// tells whether it is another one now.
  ///
  /// Of a value that has appeared already nothing is taken in.
  package func restore(digest: SIMD8<UInt32>, of name: ValueName) {
    if let id = id(of: name), records[id.index].value != nil { return }
    lastDigests[name] = digest
  }

  func differsFromLastRun(_ value: Value, index: Int) -> Bool {
    guard let last = lastDigests.removeValue(forKey: names[index]) else { return false }
    return value.digest(as: slots[index].kind) != last
  }
}
