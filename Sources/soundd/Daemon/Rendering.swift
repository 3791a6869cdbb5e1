import SoundTrigger

/// Runs a configuration on a virtual clock, into a WAV file or for nobody.
final class Rendering: PipelineObserver {
  private let configuration: Configuration
  private let sounds: LoadedSounds
  private let locator: SoundLocator
  private let rate: Int
  /// The names of values that the configuration or an earlier line has named.
  private var known: Set<ValueName> = []
  /// Plays that found no voice.
  private var crowded = 0
  private var report: (RenderedEvent) -> Void = { _ in }
  private var lastStop: RenderedEvent?
  /// The plays that have not ended.
  private var plays: [PlayID: Play] = [:]
  /// How far the virtual clock has come.
  private var time = Instant(nanoseconds: 0)

  /// Loads the configuration's sounds. A sound that cannot be loaded is a failure.
  init(_ configuration: Configuration, file: String?, environment: SystemEnvironment) throws(Failure) {
    self.configuration = configuration
    rate = configuration.output.rate ?? 48_000
    locator = environment.soundLocator(configurationFile: file)
    sounds = LoadedSounds.load(
      configuration.soundNames, locator: locator,
      loader: ClipLoader(rate: rate, limitSeconds: configuration.limits.soundSeconds))
    let complaints = sounds.complaints(configuration, file: file)
    if !complaints.isEmpty { throw Failure(.configuration, complaints.joined(separator: "\n")) }
  }

  /// The files of the configuration's sounds.
  var soundFiles: [String] { configuration.soundNames.compactMap { try? locator.search($0).path.get() } }

  /// Plays the timeline into a file, or with `nil` for nobody. `name`: what messages call the timeline.
  ///
  /// Once. `report` is called for what is heard and what is not, in the order of time.
  func run(
    _ timeline: Timeline, name: String, into path: String?, report: @escaping (RenderedEvent) -> Void = { _ in }
  ) throws {
    // Before gigabytes of silence are written.
    let longest = WAVWriter.frameLimit(channels: configuration.output.channels) / rate
    if path != nil, let last = timeline.events.last, last.time.nanoseconds / 1_000_000_000 >= Int64(longest) {
      throw Failure(
        .badData,
        "\(name): line \(last.line): a WAV file at \(rate) Hz holds no more than \(longest) s; shorten the timeline, "
          + "or leave out -o and see what would be played")
    }
    let writer = try path.map { path throws(WAVError) in
      try WAVWriter(path: path, rate: rate, channels: configuration.output.channels)
    }
    let output = OfflineOutput(writer: writer, rate: rate, voiceLimit: configuration.limits.voices)
    let pipeline: Pipeline
    do throws(ValueStoreError) {
      pipeline = try Pipeline(configuration, player: Player(output), ignoringSources: true)
    } catch {
      throw Failure(.configuration, "\(error)")
    }
    self.report = report
    pipeline.observer = self
    pipeline.setSounds(sounds, at: Instant(nanoseconds: 0))
    known = Set(pipeline.store.ids.map(pipeline.store.name))
    for event in timeline.events {
      try play(pipeline, on: output, until: event.time)
      if let problem = apply(event, to: pipeline) { throw Failure(.badData, "\(name): line \(event.line): \(problem)") }
      _ = pipeline.collect(at: event.time)
      if pipeline.store.count > known.count { reportUnknown(pipeline, event, name) }
    }
    pipeline.expectNothing()
    try play(pipeline, on: output, until: nil) {
      guard let endless = pipeline.endlessLoop else { return }
      throw Failure(
        .badData,
        "\(name): trigger '\(endless)' sounds without end: its condition still holds after the last line; "
          + "end it there, or give the trigger a loop_limit")
    }
    try output.finish()
    if crowded > 0 {
      let sounds = crowded == 1 ? "sound" : "sounds"
      StandardStreams.complain("\(name): no voice was left for \(crowded) \(sounds) (limits.voices)")
    }
  }

  /// Lets everything happen until a time, each thing at its own; with `nil` until all is over.
  ///
  /// `check` is called before each step and may end it.
  private func play(
    _ pipeline: Pipeline, on output: OfflineOutput, until end: Instant?, _ check: () throws -> Void = {}
  ) throws {
    while true {
      try check()
      let next = Instant.earlier(pipeline.nextDeadline, end).map { max($0, time) }
      if next == nil, pipeline.triggers.player.isSilent { return }
      let now = try output.advance(to: next)
      time = now
      // What ends at this instant ends before anything is decided at it.
      _ = pipeline.collect(at: now)
      if now == end, pipeline.nextDeadline.map({ $0 > now }) ?? true { return }
      pipeline.advance(to: now)
      _ = pipeline.collect(at: now)
    }
  }

  /// Applies a line. Returns what is wrong with it.
  private func apply(_ event: Timeline.Event, to pipeline: Pipeline) -> String? {
    let line = event.content.span
    do {
      let request = try Request(line)
      let isApplied = try request == .blank || pipeline.apply(request, of: line, at: event.time)
      return isApplied ? nil : Self.expected
    } catch RequestError.unknownCommand {
      return Self.expected
    } catch {
      return "\(error)"
    }
  }

  private static let expected = "expected NAME=VALUE or a JSON object after the time"

  /// Reports values that only a line has named, because the name may be misspelt.
  private func reportUnknown(_ pipeline: Pipeline, _ event: Timeline.Event, _ name: String) {
    for unknown in pipeline.store.ids.map(pipeline.store.name).dropFirst(known.count) {
      let near = Suggestion.nearest(to: unknown.description, among: known.map(\.description).sorted())
      StandardStreams.complain(
        "\(name): line \(event.line): the configuration does not name '\(unknown)'"
          + (near.map { " (did you mean '\($0)'?)" } ?? ""))
      known.insert(unknown)
    }
  }

  // MARK: What happens

  var observesChanges: Bool { false }

  func changed(_ changes: [Change], at now: Instant) {}

  func decided(_ decision: Decision) {
    switch decision {
    case .play(let play): plays[play.id] = play
    case .stop(let id, let time): if let play = plays[id] { reportStop(of: play, at: time) }
    case .finish, .adjust: break
    }
  }

  func received(_ event: PlayEvent, at now: Instant) {
    if case .heard = event {} else { plays[event.play.id] = nil }
    switch event {
    case .heard(let play, _):
      report(RenderedEvent(time: play.at, kind: .play, trigger: play.trigger, sound: play.sound))
    case .refused(let play, let refusal):
      if refusal == .crowded { crowded += 1 }
      report(RenderedEvent(time: play.at, kind: .drop, trigger: play.trigger, sound: play.sound))
    case .ended(let play, .stolen): reportStop(of: play, at: now)
    case .ended: break
    }
  }

  func refused(_ value: ValueID, _ refusal: ValueRefusal) {
    StandardStreams.complain("a derived value keeps its content: \(refusal)")
  }

  func lostContent(_ value: ValueID, _ refusal: ValueRefusal) {}

  /// Reports once that a trigger's sounds end, however many they are.
  private func reportStop(of play: Play, at time: Instant) {
    let stop = RenderedEvent(time: time, kind: .stop, trigger: play.trigger)
    if stop == lastStop { return }
    lastStop = stop
    report(stop)
  }
}

/// Something that is heard on a virtual clock, or ends before its end.
struct RenderedEvent: Equatable {
  enum Kind: String {
    /// A sound begins.
    case play
    /// A sound is ended, by its trigger or by a more important one.
    case stop
    /// There is no voice left for a sound.
    case drop
  }

  var time: Instant
  var kind: Kind
  /// The trigger's name.
  var trigger: String?
  /// The sound that begins or does not.
  var sound: String?

  /// For people: `2.5 build plays error`.
  var text: String {
    let verb =
      switch kind {
      case .play: "plays"
      case .stop: "stops"
      case .drop: "has no voice left for"
      }
    return "\(seconds) \(trigger ?? "") \(verb)" + (sound.map { " \($0)" } ?? "")
  }

  /// A JSON object and a line feed.
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("event", kind.rawValue)
      writer.member("time") { $0.raw(seconds.utf8) }
      writer.member("trigger", trigger)
      if let sound { writer.member("sound", sound) }
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  /// Since the beginning, exact to the nanosecond and without zeros at the end.
  private var seconds: String {
    let (whole, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest == 0 { return "\(whole)" }
    let digits = String(rest)
    var fraction = String(repeating: "0", count: 9 - digits.count) + digits
    while fraction.last == "0" { fraction.removeLast() }
    return "\(whole).\(fraction)"
  }
}
