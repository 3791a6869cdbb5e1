import SoundTrigger
import SoundWire

/// Runs a configuration on a virtual clock, into a WAV file or for nobody.
final class Rendering: PipelineObserver {
  /// The files of the configuration's sounds.
  let soundFiles: [String]
  private let timeline: Timeline
  /// What messages call the timeline.
  private let name: String
  private let output: OfflineOutput
  private let pipeline: Pipeline
  private let report: (RenderedEvent) -> Void
  /// The names of values that the configuration or an earlier line has named.
  private var known: Set<ValueName>
  /// Plays that found no voice.
  private var crowded = 0
  private var lastStop: RenderedEvent?
  /// The states of the alarms that were reported.
  private var states: [String: String] = [:]
  private var isHeard = false
  /// What is spoken after sounds.
  private let speaker: Speaker
  /// How far the virtual clock has come.
  private var time = Instant(nanoseconds: 0)

  /// Loads the configuration's sounds and opens the file at `path`, which must not be there yet if it `isNew`; with `nil` it
  /// plays for nobody. A sound that cannot be loaded is a failure.
  ///
  /// `refusal` is as in `SoundLocator.search`. `report` is called for what is heard and what is not, in the order of time.
  init(
    _ timeline: Timeline, name: String, _ configuration: Configuration, file: String?, environment: SystemEnvironment,
    into path: String?, isNew: Bool = false, refusal: (String) -> String? = { _ in nil },
    report: @escaping (RenderedEvent) -> Void = { _ in }
  ) throws {
    self.timeline = timeline
    self.name = name
    self.report = report
    let (rate, channels) = (configuration.output.rate ?? 48_000, configuration.output.channels)
    let locator = environment.soundLocator(configurationFile: file, configuration)
    soundFiles = configuration.soundNames.compactMap { try? locator.search($0, refusal: refusal).path.get() }
    let loader = ClipLoader(rate: rate, limitSeconds: configuration.limits.soundSeconds)
    speaker = Speaker(CommandRunner.Setting(environment), loader, on: nil) { StandardStreams.show($0) }
    let memory = configuration.limits.memory
    let sounds = LoadedSounds.load(
      configuration.soundNames, locator: locator, loader: loader, room: ClipRoom(bytes: memory, limit: memory),
      refusal: refusal)
    let problems = sounds.problems(configuration, file: file)
    if !problems.isEmpty { throw Failure(.configuration, problems.joined(separator: "\n")) }
    speaker.use(configuration, sounds)
    // Before gigabytes of silence are written.
    let longest = WAVWriter.frameLimit(channels: channels) / rate
    if path != nil, let last = timeline.events.last, last.time.nanoseconds / 1_000_000_000 >= Int64(longest) {
      throw Failure(
        .badData,
        "\(name): line \(last.line): a WAV file at \(rate) Hz holds no more than \(longest) s; shorten the timeline, "
          + "or leave out -o and see what would be played")
    }
    let writer = try path.map { path throws(WAVError) in
      try WAVWriter(path: path, rate: rate, channels: channels, isNew: isNew)
    }
    output = OfflineOutput(writer: writer, rate: rate, voiceLimit: configuration.limits.voices)
    do throws(ValueStoreError) {
      pipeline = try Pipeline(configuration, player: Player(output), ignoringSources: true)
    } catch {
      throw Failure(.configuration, "\(error)")
    }
    known = Set(pipeline.store.ids.map(pipeline.store.name))
    pipeline.observer = self
    pipeline.setSounds(sounds, at: time)
  }

  /// Plays the timeline, once.
  func run() throws {
    for event in timeline.events {
      try play(until: event.time)
      if let problem = apply(event) { throw Failure(.badData, "\(name): line \(event.line): \(problem)") }
      _ = pipeline.collect(at: event.time)
      if pipeline.store.count > known.count { reportUnknown(event) }
    }
    pipeline.expectNothing()
    try play(until: nil)
    try output.finish()
    if crowded > 0 {
      let sounds = crowded == 1 ? "sound" : "sounds"
      StandardStreams.show("\(name): no voice was left for \(crowded) \(sounds) (limits.voices)")
    }
    if isHeard { return }
    let reasons = reasonsForSilence
    let text = reasons.count == 1 ? ": \(reasons[0])" : reasons.map { "\n  \($0)" }.joined()
    StandardStreams.show("\(name): nothing plays\(text)", priority: 5)
  }

  /// How many triggers are named that did not play.
  private static let longestList = 5

  /// Why nothing was heard, at least one line: for each trigger why it did not play. Those that saw a change come first.
  private var reasonsForSilence: [String] {
    if timeline.events.isEmpty { return ["the timeline is empty"] }
    let engine = pipeline.conductor.engine
    if engine.definitions.isEmpty { return ["the configuration has no triggers"] }
    let changes = engine.definitions.indices.map { engine.watchedChanges(of: TriggerID(index: $0)).last?.change }
    let order = changes.indices.filter { changes[$0] != nil } + changes.indices.filter { changes[$0] == nil }
    var lines = order.prefix(Self.longestList).map { index in
      let definition = engine.definitions[index]
      let reason = changes[index]?.verdict.description ?? "the timeline does not change \(definition.valueNames)"
      return "trigger '\(definition.name)': \(reason)"
    }
    if order.count > lines.count { lines.append("\(order.count - lines.count) more triggers") }
    return lines
  }

  /// Lets everything happen until a time, each thing at its own; with `nil` until all is over.
  ///
  /// An alarm that nothing ends any more is a failure.
  private func play(until end: Instant?) throws {
    while true {
      speak(at: time)
      pipeline.drain(at: time)
      if end == nil, let endless = pipeline.endlessAlarm {
        let (reason, end) =
          isLatched(endless)
          ? ("it is latched, and no line acknowledges it", "acknowledge it")
          : ("its condition still holds after the last line", "end it there, acknowledge it")
        throw Failure(
          .badData,
          "\(name): trigger '\(endless)' sounds without end: \(reason); "
            + "\(end) ('ack \(endless)'), or give the trigger a loop_limit")
      }
      let next = Instant.earlier(pipeline.nextDeadline, end).map { max($0, time) }
      if next == nil, pipeline.conductor.player.isSilent { return }
      let now = try output.advance(to: next)
      time = now
      // What ends at this instant ends before anything is decided at it.
      _ = pipeline.collect(at: now)
      if now == end, pipeline.nextDeadline.map({ $0 > now }) ?? true { return }
      pipeline.advance(to: now)
      _ = pipeline.collect(at: now)
    }
  }

  private func isLatched(_ trigger: String) -> Bool {
    let engine = pipeline.conductor.engine
    return engine.trigger(named: trigger).flatMap { engine.alarm($0) }?.life == .latched
  }

  /// Applies a line. Returns what is wrong with it.
  private func apply(_ event: Timeline.Event) -> String? {
    let line = event.content.span
    do {
      let request = try Request(line)
      switch request {
      case .acknowledge(let name, nil): return apply(to: name) { _ = pipeline.acknowledge($0, at: event.time) }
      case .snooze(let name, let time):
        if let name, pipeline.conductor.engine.trigger(named: name) == nil, let problem = SnoozeTime.misplaced(in: name)
        {
          return problem
        }
        return apply(to: name) { pipeline.snooze($0, until: event.time.advanced(by: time), at: event.time) }
      case .unsnooze(let name): return apply(to: name) { pipeline.snooze($0, until: nil, at: event.time) }
      default: break
      }
      let isApplied = try request == .blank || pipeline.apply(request, of: line, at: event.time)
      return isApplied ? nil : Self.expected
    } catch RequestRefusal.unknownCommand {
      return Self.expected
    } catch {
      return "\(error)"
    }
  }

  private static let expected =
    "expected NAME=VALUE, a JSON object, ack TRIGGER, snooze TRIGGER or unsnooze TRIGGER after the time"

  /// Does something to an alarm, or with `nil` to all that sound. Returns what is wrong with the name.
  private func apply(to name: String?, _ body: (TriggerID) -> Void) -> String? {
    let engine = pipeline.conductor.engine
    guard let name else {
      for id in engine.soundingAlarms { body(id) }
      return nil
    }
    guard let ids = engine.alarms(named: name) else {
      let alarms = engine.definitions.filter { $0.loop != nil }.map(\.name)
      return
        "there is no alarm \(Excerpt.quoting(name))\(Suggestion.question(Suggestion.nearest(to: name, among: alarms)))"
    }
    for id in ids { body(id) }
    return nil
  }

  /// Reports values that only a line has named, and no pattern, because the name may be misspelt.
  private func reportUnknown(_ event: Timeline.Event) {
    for id in pipeline.store.ids.dropFirst(known.count) {
      let unknown = pipeline.store.name(of: id)
      defer { known.insert(unknown) }
      if pipeline.store.isMember(id) { continue }
      let near = Suggestion.nearest(to: unknown.description, among: known.map(\.description).sorted())
      StandardStreams.show(
        "\(name): line \(event.line): the configuration does not name '\(unknown)'"
          + Suggestion.question(near))
    }
  }

  // MARK: What happens

  func happened(_ happening: Happening, at now: Instant) {
    switch happening {
    case .heard(let play, _):
      isHeard = true
      speaker.note(play, .heard, pipeline, at: now)
      report(RenderedEvent(time: play.at, kind: .play, trigger: play.trigger, sound: play.sound))
    case .refused(let play, let refusal):
      if refusal == .crowded { crowded += 1 }
      speaker.ended(play.id, refusal)
      // The speaker has said why.
      if refusal == .unspoken { break }
      report(RenderedEvent(time: play.at, kind: .drop, trigger: play.trigger, sound: play.sound))
    case .alarm(let id):
      guard let alarm = pipeline.conductor.engine.alarm(id) else { break }
      // What else changes of an alarm, such as the end of its snooze, is not shown.
      let state = alarm.state.rawValue
      if states.updateValue(state, forKey: alarm.name) == state { break }
      report(RenderedEvent(time: now, kind: .alarm, trigger: alarm.name, state: state))
    case .stopping(let play, let time): reportStop(of: play, at: time)
    case .ended(let play, let ending):
      speaker.ended(play.id)
      if case .finished = ending { speaker.note(play, .finished, pipeline, at: now) }
      if case .stolen = ending { reportStop(of: play, at: now) }
    case .begins(let play): speaker.note(play, .begins, pipeline, at: now)
    case .changed, .judged, .needsDevice: break
    }
  }

  func speak(at now: Instant) { speaker.turn(pipeline, at: now) }

  func refused(_ value: ValueID, _ refusal: ValueRefusal) {
    StandardStreams.show("a derived value keeps its content: \(refusal)")
  }

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
    /// The state of an alarm has changed.
    case alarm
  }

  var time: Instant
  var kind: Kind
  /// The trigger's name.
  var trigger: String?
  /// The sound that begins or does not.
  var sound: String?
  /// That of the alarm.
  var state: String?

  /// For people: `2.5 build plays error`.
  var text: String {
    let verb =
      switch kind {
      case .play: "plays"
      case .stop: "stops"
      case .drop: "has no voice left for"
      case .alarm: "is"
      }
    return "\(seconds) \(trigger ?? "") \(verb)" + ((sound ?? state).map { " \($0)" } ?? "")
  }

  /// A JSON object and a line feed.
  var json: [UInt8] {
    var line = RenderedMessage()
    (line.event, line.trigger) = (kind.rawValue, trigger)
    line.time = RawJSON { $0.raw(seconds.utf8) }
    (line.sound, line.state) = (sound, state)
    return line.json + [UInt8(ascii: "\n")]
  }

  /// Since the beginning, exact to the nanosecond and without zeros at the end.
  private var seconds: String { DecimalText.text(time.nanoseconds, fractionDigits: 9) }
}
