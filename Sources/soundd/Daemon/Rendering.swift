import SoundTrigger

/// The daemon's pipeline on a virtual clock, heard by a WAV file or by nobody.
final class Rendering {
  private let pipeline: Pipeline
  /// The triggers' and the sounds' names: the pipeline is not to be asked while it decides.
  private let triggers: [String]
  private let sounds: [String]
  /// The values that the configuration speaks of.
  private var known: Set<ValueName>
  private let shelf: SoundShelf
  private let rate: Int
  private let voiceLimit: Int
  private var running = RunningSounds()
  /// Voices to be stopped for which the mixer's queue had no room.
  private var unstopped: [RunningSounds.Sound] = []
  private var crowded = 0
  /// At which frame the voices come to their end if nobody ends them before.
  private var ends: [VoiceID: Int] = [:]
  /// What is still to be told, with the voices that begin.
  private var events: [(voice: VoiceID?, event: RenderedEvent)] = []

  /// Loads the configuration's sounds; one that cannot be loaded is a failure.
  init(_ configuration: Configuration, file: String?, environment: SystemEnvironment) throws(Failure) {
    do throws(ValueStoreError) {
      pipeline = try Pipeline(configuration, ignoringSources: true)
    } catch {
      throw Failure(.configuration, "\(error)")
    }
    triggers = configuration.triggers.map(\.definition.name)
    sounds = pipeline.engine.sounds
    known = Set(pipeline.store.ids.map(pipeline.store.name))
    rate = configuration.output.rate ?? 48_000
    voiceLimit = configuration.limits.voices
    shelf = SoundShelf(
      loading: sounds, locator: environment.soundLocator(configurationFile: file),
      loader: ClipLoader(rate: rate, limitSeconds: configuration.limits.soundSeconds))
    let complaints = shelf.complaints(configuration, file: file)
    if !complaints.isEmpty { throw Failure(.configuration, complaints.joined(separator: "\n")) }
  }

  /// Plays the timeline into a file, or with `nil` to nobody; `name` is what messages call the timeline.
  ///
  /// Once. `report` is told of what is heard, in the order of time.
  func run(
    _ timeline: Timeline, name: String, into path: String?, report: @escaping (RenderedEvent) -> Void = { _ in }
  ) throws {
    // Said before gigabytes of silence are written.
    let longest = WAVWriter.frameLimit / rate
    if path != nil, let last = timeline.events.last, last.time.nanoseconds / 1_000_000_000 >= Int64(longest) {
      throw Failure(
        .badData,
        "\(name): line \(last.line): a WAV file at \(rate) Hz holds no more than \(longest) s; shorten the timeline, "
          + "or leave out -o to be told what would be played")
    }
    let writer = try path.map { path throws(WAVError) in try WAVWriter(path: path, rate: rate) }
    let output = OfflineOutput(writer: writer, rate: rate, voiceLimit: voiceLimit)
    pipeline.perform = { [unowned self] in perform($0, output) }
    pipeline.refused = { [unowned pipeline] in
      StandardStreams.complain("value '\(pipeline.store.name(of: $0))': \($1); the old one stays")
    }
    for event in timeline.events {
      try play(on: output, until: event.time, report)
      if let problem = set(event) { throw Failure(.badData, "\(name): line \(event.line): \(problem)") }
      if pipeline.store.count > known.count { tellUnknown(of: event, name) }
    }
    pipeline.expectNothing()
    try play(on: output, until: nil, report) { [self] in
      guard let endless = pipeline.endlessLoop else { return }
      throw Failure(
        .badData,
        "\(name): trigger '\(endless)' sounds without end: its condition still holds after the last line; "
          + "end it there, or give the trigger a loop_limit")
    }
    tell([], report)
    try output.finish()
    if crowded > 0 { throw Failure(.badData, "\(name): \(crowded) sounds too many at once were left out") }
  }

  private func perform(_ action: TriggerAction, _ output: OfflineOutput) -> Verdict {
    switch action {
    case .stop(let trigger, let time):
      let name = triggers[trigger.index]
      let stopped = running.sounds(of: name)
      stop(stopped, on: output)
      for sound in stopped { ends[sound.voice] = nil }
      if !stopped.isEmpty { events.append((nil, RenderedEvent(time: time, kind: .stop, trigger: name))) }
      return .played
    case .play(let trigger, let sound, let settings, let loops, let time):
      guard let clip = shelf[sound] else { return .broken }
      guard let voice = output.control.start(clip, settings, loops: loops) else {
        crowded += 1
        return .crowded
      }
      let name = triggers[trigger.index]
      running.add(voice, sounds[sound.index], trigger: name, fadeFrames: output.control.frames(in: settings.fadeOut))
      ends[voice] = loops ? .max : output.frame + clip.frameCount
      events.append((voice, RenderedEvent(time: time, kind: .play, trigger: name, sound: sounds[sound.index])))
      return .played
    }
  }

  private func stop(_ sounds: [RunningSounds.Sound], on output: OfflineOutput) {
    unstopped += sounds.filter { !output.control.stop($0.voice, fadeFrames: $0.fadeFrames) }
  }

  /// Lets everything happen until a time, each thing at its own; with `nil` until all is over.
  ///
  /// `check` is called before each step and may end it.
  private func play(
    on output: OfflineOutput, until end: Instant?, _ report: (RenderedEvent) -> Void, _ check: () throws -> Void = {}
  ) throws {
    while true {
      try check()
      let late = unstopped
      unstopped = []
      // Until the beginning is at once: the mixer takes what is queued, which makes room.
      let next = late.isEmpty ? Instant.earlier(pipeline.nextDeadline, end) : Instant(nanoseconds: 0)
      if next == nil && output.isIdle { return }
      var ended: [VoiceID] = []
      var refused: Set<VoiceID> = []
      let now = try output.advance(to: next, refused: { refused.insert($0) }) { ended.append($0) }
      tell(refused, report)
      for voice in ended { self.ended(voice, wasRefused: refused.contains(voice), at: now, on: output) }
      pipeline.advance(to: now)
      stop(late, on: output)
      if now == end && ended.isEmpty { return }
    }
  }

  private func ended(_ voice: VoiceID, wasRefused: Bool, at now: Instant, on output: OfflineOutput) {
    let end = ends.removeValue(forKey: voice)
    guard let trigger = running.remove(voice)?.trigger else { return }
    if wasRefused {
      pipeline.noteUnheard(trigger, .crowded, at: now)
    } else if let end, output.frame < end {
      events.append((nil, RenderedEvent(time: now, kind: .stop, trigger: trigger)))
    }
    pipeline.soundEnded(of: trigger, at: now)
  }

  /// Tells what has happened, now that it is known which voices found a place.
  private func tell(_ refused: Set<VoiceID>, _ report: (RenderedEvent) -> Void) {
    for (voice, event) in events {
      var event = event
      if let voice, refused.contains(voice) { event.kind = .drop }
      report(event)
    }
    events.removeAll(keepingCapacity: true)
  }

  /// Tells of values that a line has brought up, for they may be misspelt.
  private func tellUnknown(of event: Timeline.Event, _ name: String) {
    for unknown in pipeline.store.ids.map(pipeline.store.name).dropFirst(known.count) {
      let near = Suggestion.nearest(to: unknown.description, among: known.map(\.description).sorted())
      StandardStreams.complain(
        "\(name): line \(event.line): the configuration says nothing of '\(unknown)'"
          + (near.map { " (did you mean '\($0)'?)" } ?? ""))
      known.insert(unknown)
    }
  }

  /// Carries out a line; returns what is wrong with it.
  private func set(_ event: Timeline.Event) -> String? {
    let line = event.content.span
    do {
      let request = try Request(line)
      let isDone = try request == .blank || pipeline.carryOut(request, of: line, at: event.time)
      return isDone ? nil : Self.expected
    } catch RequestError.unknownCommand {
      return Self.expected
    } catch {
      return "\(error)"
    }
  }

  private static let expected = "expected NAME=VALUE or a JSON object after the time"
}
