import SoundTrigger
import SoundWire

@testable import soundd

/// Recipes in the daemon's pipeline, on a virtual clock: its sources print what a test says.
final class RecipeWorld: PipelineObserver {
  let pipeline: Pipeline
  /// What is heard and what becomes of alarms, as `soundd render` prints it: `2.5 web-down plays error`.
  private(set) var heard: [String] = []
  private let output: OfflineOutput
  private var states: [String: AlarmState] = [:]
  private var time = Instant(nanoseconds: 0)

  /// The shipped recipe of a name, as it is.
  static func configuration(_ recipe: String) throws -> Configuration {
    let text = BuiltInRecipes.all.first { $0.name == recipe }?.text ?? "there is no recipe '\(recipe)'"
    return try ConfigurationText(file: recipe, bytes: Array(text.utf8)).configuration(.test)
  }

  init(_ configuration: Configuration) throws {
    output = OfflineOutput(writer: nil, rate: 48_000)
    pipeline = try Pipeline(configuration, player: Player(output), ignoringSources: true)
    pipeline.observer = self
    let sounds = LoadedSounds.load(
      configuration.soundNames, locator: SoundLocator(folders: [BuiltInSounds.folder]), loader: ClipLoader(rate: 48_000)
    )
    pipeline.setSounds(sounds, at: time)
  }

  /// Sets values at their times: a line of `render` each. Returns what is heard. A line that soundd refuses is heard as such.
  func run(_ timeline: String) throws -> [String] {
    for line in timeline.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      try pass(until: Instant(nanoseconds: 0).advanced(by: .seconds(Double(parts[0]) ?? 0)))
      guard parts.count > 1 else { continue }
      do { try set(parts[1]) } catch { note(time, "refuses \(parts[1])") }
    }
    // A sound is heard as soon as the clock moves.
    try pass(until: time.advanced(by: .milliseconds(10)))
    return heard
  }

  /// Lets time pass, each thing happening at its own time.
  func pass(until end: Instant) throws {
    repeat {
      pipeline.drain(at: time)
      time = try output.advance(to: Instant.earlier(pipeline.nextDeadline, end).map { max($0, time) })
      _ = pipeline.collect(at: time)
      if time < end || pipeline.nextDeadline.map({ $0 <= time }) ?? false { pipeline.advance(to: time) }
      _ = pipeline.collect(at: time)
    } while time < end
    pipeline.drain(at: time)
  }

  /// Sets values as a source does: a line as of `soundd set -`.
  func set(_ line: String) throws {
    let bytes = Array(line.utf8)
    _ = try pipeline.apply(try Request(bytes.span), of: bytes.span, at: time)
    _ = pipeline.collect(at: time)
    pipeline.drain(at: time)
  }

  /// Says that none of the commands and feeds works.
  func stopSources(_ configuration: Configuration) {
    let fed = pipeline.store.ids.filter { id in
      let name = pipeline.store.name(of: id)
      let isCommand =
        if case .command = configuration.values.first(where: { $0.name == name })?.source { true } else { false }
      return isCommand || configuration.feeds.contains { $0.owns(name) }
    }
    pipeline.sourceChanged(of: fed, works: false, at: time)
  }

  func happened(_ happening: Happening, at now: Instant) {
    switch happening {
    case .heard(let play, _): note(play.at, "\(play.trigger ?? "") plays \(play.sound)")
    case .alarm(let id):
      guard let alarm = pipeline.conductor.engine.alarm(id) else { break }
      if states.updateValue(alarm.state, forKey: alarm.name) != alarm.state {
        note(now, "\(alarm.name) is \(alarm.state.rawValue)")
      }
    default: break
    }
  }

  func refused(_ value: ValueID, _ refusal: ValueRefusal) {
    note(time, "\(pipeline.store.name(of: value)): \(refusal)")
  }

  private func note(_ time: Instant, _ text: String) {
    heard.append("\(DecimalText.text(time.nanoseconds, fractionDigits: 9)) \(text)")
  }
}
