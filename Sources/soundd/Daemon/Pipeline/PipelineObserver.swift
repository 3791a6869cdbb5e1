import SoundTrigger

/// Receives what happens in a pipeline, in the order in which it has happened.
///
/// The calls must not change the pipeline.
protocol PipelineObserver: AnyObject {
  /// The changes of a transaction are in `Pipeline.conductor` meanwhile.
  func happened(_ happening: Happening, at now: Instant)
  /// Called after `happened`, if `Conductor.notesBeginnings`. What it speaks begins together with the sounds. It may call
  /// `Pipeline.speak` and `Pipeline.endPlay`.
  func speak(at now: Instant)
  /// A derived value does not follow from the new content of its base. Called once while the reason stays the same.
  func refused(_ value: ValueID, _ refusal: ValueRefusal)
  /// A value begins anew without a content, because a reload reads it in another way, or because its base was forgotten.
  func lostContent(_ value: ValueID)
  /// A pattern has as many members as it may have, and one more was refused.
  func refusedMember()
  /// A reload removed a trigger whose alarm was not normal.
  func lostAlarm(_ trigger: String)
  /// A feed has become silent, or is silent no more.
  func silenceChanged(of feed: String)
  /// A value was forgotten. Its ID may soon be that of another one.
  func forgot(_ value: ValueID, _ name: ValueName, at now: Instant)
}

extension PipelineObserver {
  func speak(at now: Instant) {}
  func lostContent(_ value: ValueID) {}
  func refusedMember() {}
  func lostAlarm(_ trigger: String) {}
  func silenceChanged(of feed: String) {}
  func forgot(_ value: ValueID, _ name: ValueName, at now: Instant) {}
}
