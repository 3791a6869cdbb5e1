import SoundTrigger

/// Whoever carries out what clients of the socket ask for; called on the event loop's thread.
protocol RequestHandler: AnyObject {
  /// Carries out one request and says what to answer.
  ///
  /// Blank lines and lines that cannot be read are not handed on. The line's bytes are valid during the call alone.
  /// A reply that takes a while is `.later`; what nobody asked for at the moment, such as events, goes through
  /// `ControlClient.push`.
  func handle(_ request: Request, line: Span<UInt8>, from client: ControlClient) -> Reply

  /// Carries out the assignments that a chunk holds from `start` on, for as long as it has no need to look at them one by
  /// one, and says where it stopped: there, a line at a time, `handle` goes on.
  ///
  /// A refused one is the last line of the run, and its answer is the refusal. A run that paused can be gone on with.
  func handle(linesOf chunk: Span<UInt8>, from start: Int) -> AssignmentRun

  /// A request is about to be answered: whatever else clients are to be told comes before.
  func willReply()

  /// A client is gone; nothing can be sent to it any more.
  func clientDidClose(_ client: ControlClient)

  /// Whoever comes now waits until somebody leaves, told again and again while it lasts; `reason` is an error number.
  func clientsMustWait(_ reason: Int32)
}
