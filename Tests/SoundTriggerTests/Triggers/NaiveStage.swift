import SoundTrigger

/// Where the naive model asks for sounds, and whose answers come from a list.
struct NaiveStage {
  /// What is asked for; `sounds` are all that would be right, several only if the pick is random.
  enum Action {
    case play(trigger: Int, sounds: [String], loops: Bool, at: Int64)
    case stop(trigger: Int, at: Int64)
  }

  private(set) var actions: [Action] = []
  /// What becomes of one play after the other, from the first again after the last.
  private let answers: [Verdict]
  private var answered = 0
  var profile = Profile.full

  init(answers: [Verdict]) { self.answers = answers }

  mutating func play(trigger: Int, sounds: [String], loops: Bool, at now: Int64) -> Verdict {
    actions.append(.play(trigger: trigger, sounds: sounds, loops: loops, at: now))
    answered += 1
    return answers[(answered - 1) % answers.count]
  }

  mutating func stop(trigger: Int, at now: Int64) { actions.append(.stop(trigger: trigger, at: now)) }

  mutating func forgetActions() { actions.removeAll(keepingCapacity: true) }
}
