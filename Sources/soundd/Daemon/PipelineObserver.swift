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
  /// A reload reads a value in another way, so its content is another one, or it has none any more. That is no change.
  func reread(_ value: ValueID)
  /// Such a value has no content any more, because the present one does not fit.
  func lostContent(_ value: ValueID, _ refusal: ValueRefusal)
  /// A value was forgotten. Its ID may soon be that of another one.
  func forgot(_ value: ValueID, _ name: ValueName, at now: Instant)
}

extension PipelineObserver {
  func changed(_ changes: [Change], at now: Instant) {}
  func willPlay() {}
  func reread(_ value: ValueID) {}
  func forgot(_ value: ValueID, _ name: ValueName, at now: Instant) {}
}
