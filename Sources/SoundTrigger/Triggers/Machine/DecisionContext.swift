/// The state that all triggers of an engine share while they decide.
struct DecisionContext: Sendable {
  var profile = Profile.full
  /// The sounds that are not loaded.
  var brokenSounds: Set<String> = []
  var random: SplitMix64
  /// The present time. A wait that is overdue is decided at its own time, which is earlier.
  var now = Instant(nanoseconds: .min)
  /// The rest of the present transaction's search budget.
  var searches = SearchBudget.transaction
  /// The search budget of the next transaction.
  var searchLimit = SearchBudget.transaction
  /// The decisions that the caller has not removed yet, in order.
  var decisions: [Decision] = []
  /// Whether a voice may have become free since the waiting loops were last tried.
  var hasRoom = false
  private var lastPlay: UInt64 = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The number of the next play.
  var nextPlayID: PlayID { PlayID(lastPlay + 1) }

  mutating func makePlayID() -> PlayID {
    lastPlay += 1
    return PlayID(lastPlay)
  }
}
