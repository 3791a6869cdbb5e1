import SoundTrigger

/// The daemon's pipeline on a virtual clock, heard by a WAV file.
struct Rendering {
  private let pipeline: Pipeline
  private let shelf: SoundShelf
  private let rate: Int
  private let voiceLimit: Int

  /// Loads the configuration's sounds; one that cannot be loaded is a failure.
  init(_ configuration: Configuration, file: String?, environment: SystemEnvironment) throws(Failure) {
    do throws(ValueStoreError) {
      pipeline = try Pipeline(configuration, ignoringSources: true)
    } catch {
      throw Failure(.configuration, "\(error)")
    }
    rate = configuration.output.rate ?? 48_000
    voiceLimit = configuration.limits.voices
    shelf = SoundShelf(
      loading: pipeline.engine.sounds, locator: environment.soundLocator(configurationFile: file),
      loader: ClipLoader(rate: rate, limitSeconds: configuration.limits.soundSeconds))
    let complaints = shelf.complaints(configuration, file: file)
    if !complaints.isEmpty { throw Failure(.configuration, complaints.joined(separator: "\n")) }
  }

  /// Plays the timeline into a file; `name` is what messages call it.
  func run(_ timeline: Timeline, name: String, into path: String) throws {
    // Said before gigabytes of silence are written.
    let longest = WAVWriter.frameLimit / rate
    if let last = timeline.events.last, last.time.nanoseconds / 1_000_000_000 >= Int64(longest) {
      throw Failure(
        .badData,
        "\(name): line \(last.line): a WAV file at \(rate) Hz holds no more than \(longest) s; shorten the timeline")
    }
    let output = OfflineOutput(writer: try WAVWriter(path: path, rate: rate), rate: rate, voiceLimit: voiceLimit)
    var crowded = 0
    pipeline.perform = { action in
      switch action {
      case .play(_, let sound, let settings, _):
        guard let clip = shelf[sound] else { return .broken }
        if output.control.start(clip, settings) != nil { return .played }
        crowded += 1
        return .crowded
      }
    }
    for event in timeline.events {
      try catchUp(to: event.time, output)
      try output.advance(to: event.time)
      if let problem = set(event) { throw Failure(.badData, "\(name): line \(event.line): \(problem)") }
    }
    while let deadline = pipeline.nextDeadline { try catchUp(to: deadline, output) }
    try output.finish()
    if crowded > 0 { throw Failure(.badData, "\(name): \(crowded) sounds too many at once were left out") }
  }

  /// Lets everything happen that is due until a time, each thing at its own.
  private func catchUp(to time: Instant, _ output: OfflineOutput) throws {
    while let deadline = pipeline.nextDeadline, deadline <= time {
      try output.advance(to: deadline)
      pipeline.advance(to: deadline)
    }
  }

  /// Carries out a line; returns what is wrong with it.
  private func set(_ event: Timeline.Event) -> String? {
    let line = event.content.span
    let request: Request
    do throws(RequestError) { request = try Request(line) } catch { return "\(error)" }
    switch request {
    case .assignment(let name, let value):
      do throws(ValueStoreError) {
        try pipeline.assign(line.extracting(name), line.extracting(value), at: event.time)
        return nil
      } catch {
        return "\(error)"
      }
    case .object(let range):
      do throws(ObjectProblem) {
        try pipeline.assign(object: line.extracting(range), at: event.time)
        return nil
      } catch {
        return "\(error)"
      }
    default: return "expected NAME=VALUE or a JSON object after the time"
    }
  }
}
