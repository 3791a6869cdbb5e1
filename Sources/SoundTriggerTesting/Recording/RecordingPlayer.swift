public import SoundTrigger

/// A player for tests: it plays on a clock that the test moves, and records what would be heard.
///
/// Pass it where the code under test wants a `SoundPlayer`. It needs no sound card.
///
/// ```swift
/// let player = try RecordingPlayer()
/// install(feedbackOn: player, of: model)
/// model.uploads += 1
/// await player.settled()
/// #expect(player.played == [.success])
/// try await player.finish()
/// ```
///
/// The shipped sounds are loaded as in a program, so a sound that is missing is a problem here, too.
public final class RecordingPlayer: SoundPlayer, @unchecked Sendable {
  // Safety of `@unchecked Sendable`: `record` has a lock, and the output is used under that of the core.
  private let output: OfflineOutput
  private let clock: ManualClock
  private let record = Guarded(Record())

  private struct Record: Sendable {
    /// How many plays the test has looked at.
    var seen = 0
    var problems: [SoundProblem] = []
  }

  /// A player whose clock begins at zero.
  ///
  /// - Parameters:
  ///   - folders: Where sounds are looked up by name, best first; `nil`: the user's sounds and the shipped ones.
  ///   - file: A WAV file that gets what is heard, in floats of 32 bits, 48,000 frames a second, two channels; complete after
  ///     `finish`. `nil`: nothing is rendered, and time passes at once.
  /// - Throws: An error that says why the file cannot be written.
  public convenience init(folders: [String]? = nil, writingTo file: String? = nil) throws {
    try self.init(folders: folders, writingTo: file, limit: 65_536)
  }

  /// `limit`: the most triggers.
  package init(folders: [String]? = nil, writingTo file: String? = nil, limit: Int) throws {
    let rate = 48_000
    let writer = try file.map { try WAVWriter(path: $0, rate: rate, channels: 2) }
    output = OfflineOutput(writer: writer, rate: rate, acceptsAtOnce: true)
    clock = ManualClock()
    let locator = SoundLocator(folders: folders ?? Self.standardFolders)
    super.init(PlayerCore(output, locator: locator, clock: clock, recordsPlays: true, limit: limit))
    onProblem { [record] problem in record.withLock { $0.problems.append(problem) } }
  }

  // MARK: What was played

  /// Every feedback that was heard, in order.
  ///
  /// What `playSound` plays is `.sound` of its name. What is muted counts as heard. The test has looked at what this returns:
  /// see ``finish()``.
  public var played: [SensoryFeedback] {
    // What has begun is reported in this.
    core.advance()
    let plays = core.heardPlays
    record.withLock { $0.seen = plays.count }
    return plays.map { .sound($0.sound, intensity: $0.settings.volume) }
  }

  /// Every problem that was reported, in order. A test that calls `onProblem` replaces what fills this.
  public var problems: [SoundProblem] { record.withLock { $0.problems } }

  /// Returns when every change that was made before is acted upon: the triggers have looked, their closures have run.
  ///
  /// Time stands still meanwhile. It does not wait for tasks of your own, nor for the action of a `TriggeredTask`. If triggers set
  /// each other off, it gives up after 10,000 turns, and `problems` has `.restless`.
  public func settled() async { await core.settled() }

  // MARK: Time

  /// Lets time pass: sounds end, and what waits plays at its time. It begins with ``settled()``.
  ///
  /// - Parameter duration: 0 or more.
  /// - Throws: An error that says why the WAV file cannot be written.
  public func advance(by duration: Duration) async throws {
    await settled()
    let end = clock.now.advanced(by: max(duration, .zero))
    var deadline = advanceCore()
    while true {
      let next = max(min(deadline ?? end, end), clock.now)
      let reached = try core.perform { [output] _, _ throws(WAVError) in try output.advance(to: next) }
      clock.advance(to: reached)
      core.advance()
      await settled()
      deadline = advanceCore()
      if reached >= end, deadline.map({ $0 > end }) ?? true { return }
    }
  }

  /// Does what is due. Returns when there is more to do.
  private func advanceCore() -> Instant? { Instant.earlier(core.advance(), clock.nextDeadline) }

  // MARK: The end

  /// Plays that a test has not looked at.
  public struct ForgottenPlays: Error, CustomStringConvertible {
    /// The plays, in order.
    public let plays: [SensoryFeedback]

    /// Names them.
    public var description: String {
      "the test has not looked at \(plays.count == 1 ? "a play" : "\(plays.count) plays"): "
        + plays.map(\.description).joined(separator: ", ")
    }
  }

  /// Ends the test: plays what waits and what sounds to its end, and completes the file.
  ///
  /// - Throws: `ForgottenPlays` if anything was heard that the test has not looked at by `played`.
  public func finish() async throws {
    await settled()
    while let deadline = advanceCore() {
      try await advance(by: clock.now.duration(to: max(deadline, clock.now)))
    }
    while !core.isSilent { try await advance(by: .milliseconds(100)) }
    core.endAll()
    try output.finish()
    let plays = core.heardPlays
    let forgotten = plays[record.withLock { min($0.seen, plays.count) }...]
    if !forgotten.isEmpty {
      throw ForgottenPlays(plays: forgotten.map { .sound($0.sound, intensity: $0.settings.volume) })
    }
  }
}
