/// What the regular expressions of one transaction may still cost together: those of extractions, derived values and triggers.
///
/// It counts steps of PCRE2, not time, so that the same input always has the same result (`cpattern.c` says what a step is).
package struct SearchBudget: Equatable, Sendable {
  /// What is left. A search takes its steps from here.
  var steps: Int64

  /// What one transaction may cost: twice the worst search of 64 KiB, which took 5 ms on a slow server.
  package static let transaction = SearchBudget(steps: 1_048_576)
  /// Each search is over budget.
  package static let nothing = SearchBudget(steps: 0)
}
