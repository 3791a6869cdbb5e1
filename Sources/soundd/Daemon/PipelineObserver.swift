import SoundTrigger

/// What a pipeline reports while it works: the one stream of changes, decisions, and what became of them.
///
/// The calls come in the order in which things have happened, and must not call the pipeline.
protocol PipelineObserver: AnyObject {
  /// Values have changed or appeared, in one transaction. What they cause comes later. Called if `Pipeline.observesChanges`.
  func changed(_ changes: [Change], at now: Instant)
  /// A play is about to be performed. The pipeline is at work: it must not even be read.
  func willPlay()
  /// A decision was performed.
  func decided(_ decision: Decision)
  /// This became of a play.
  func received(_ event: PlayEvent, at now: Instant)
  /// A derived value does not follow from the new content of its base. Called once while the reason stays the same.
  func refused(_ value: ValueID, _ refusal: ValueRefusal)
  /// A value begins anew without a content, because a reload reads it in another way, or because its base was forgotten.
  func lostContent(_ value: ValueID)
  /// A value was forgotten. Its ID may soon be that of another one.
  func forgot(_ value: ValueID, _ name: ValueName, at now: Instant)
}

extension PipelineObserver {
  func changed(_ changes: [Change], at now: Instant) {}
  func willPlay() {}
  func lostContent(_ value: ValueID) {}
  func forgot(_ value: ValueID, _ name: ValueName, at now: Instant) {}
}
