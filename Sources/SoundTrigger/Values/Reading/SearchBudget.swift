/// The steps that all regular expressions of a transaction may still take: those of extractions, derived values and triggers.
///
/// It counts steps of PCRE2, not time, so that the same input always has the same result (`cpattern.c` says what a step is).
package struct SearchBudget: Equatable, Sendable {
  /// The steps that are left. Each search takes some.
  var steps: Int64

  /// The budget of one transaction: twice the worst search of 64 KiB, which took 5 ms on a slow server.
  package static let transaction = SearchBudget(steps: 1_048_576)
  /// Each search is over budget.
  package static let nothing = SearchBudget(steps: 0)
}
