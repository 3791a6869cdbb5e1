import Harness

@testable import SoundTrigger
import SoundWire
@testable import soundd

/// Runs a configuration for a while, with contents for all its values.
enum TrialRun {
  /// What every trigger plays.
  private static let clip = try? Clip([0.5, 0.5], rate: 48_000)
  /// What every value is fed with.
  private static let contents = ["0", "1", "100", "on", "-1e300", "{\"a\":{\"b\":[1,\"x\"]}}", "passed", "", "a b\nc"]

  static func run(_ configuration: Configuration) {
    let output = OfflineOutput(
      writer: nil, rate: 48_000, voiceLimit: configuration.limits.voices, acceptsAtOnce: true)
    let pipeline: Pipeline
    do throws(ValueStoreError) {
      pipeline = try Pipeline(configuration, player: Player(output))
    } catch {
      // What triggers name counts too, and its number is known only when the pipeline is built.
      guard case .tooManyValues(_, configuration.limits.values) = error else {
        Finding.report("an accepted configuration cannot be run: \(error)")
      }
      return
    }
    let observer = PlayCheck(pipeline)
    pipeline.observer = observer
    guard let clip else { Finding.report("there is no memory for a clip") }
    var sounds = LoadedSounds()
    for name in pipeline.conductor.engine.sounds { sounds.set(name, .success(clip)) }
    pipeline.setSounds(sounds, at: Instant(nanoseconds: 0))
    var now = Instant(nanoseconds: 0)
    for content in contents {
      for id in Array(pipeline.store.ids) where !pipeline.store.source(of: id).isDerived {
        _ = pipeline.update(id, content: Array(content.utf8).span, at: now)
      }
      now = now.advanced(by: .milliseconds(250))
      wait(pipeline, until: now)
    }
    wait(pipeline, until: now.advanced(by: .seconds(4000)))
    _ = pipeline.collect(at: now.advanced(by: .seconds(4000)))
    observer.expectsNothing = true
    replaceByItself(pipeline, configuration, at: now.advanced(by: .seconds(4000)))
  }

  /// Does what is due, as the event loop does, and checks that this ends.
  private static func wait(_ pipeline: Pipeline, until end: Instant) {
    var last = Instant(nanoseconds: .min)
    for _ in 0..<200 {
      guard let deadline = pipeline.nextDeadline, deadline <= end else { break }
      Finding.unless(deadline > last, "what was due at \(deadline.nanoseconds) ns is due once more")
      last = deadline
      pipeline.advance(to: deadline)
      _ = pipeline.collect(at: deadline)
    }
  }

  /// A reload of an unchanged configuration does nothing.
  private static func replaceByItself(_ pipeline: Pipeline, _ configuration: Configuration, at now: Instant) {
    pipeline.advance(to: now)
    let (before, deadline) = (contents(of: pipeline), pipeline.nextDeadline)
    do throws(ValueStoreError) {
      try pipeline.replace(configuration, at: now)
    } catch {
      Finding.report("a configuration that runs cannot be taken again: \(error)")
    }
    let after = contents(of: pipeline)
    Finding.unless(after == before, "a reload of the same made \(before) to \(after)")
    Finding.unless(deadline == pipeline.nextDeadline, "a reload of the same changed what is due")
  }

  /// Of each value what it is, and when that changed; what was refused is tried once more, and so is counted once more.
  private static func contents(of pipeline: Pipeline) -> [Content] {
    pipeline.store.ids.map { id in
      let snapshot = pipeline.store.snapshot(of: id)
      return Content(
        value: pipeline.store.value(of: id), text: snapshot.text, updates: snapshot.updates,
        changedAt: snapshot.changedAt)
    }
  }

  private struct Content: Equatable {
    var value: Value?
    var text: String?
    var updates: Int
    var changedAt: Instant?
  }
}

/// Sees that every play is one that a trigger may decide on, and that what becomes of it comes in order.
private final class PlayCheck: PipelineObserver {
  /// Whether no play may begin or stop any more.
  var expectsNothing = false
  private unowned let pipeline: Pipeline
  private var heard: Set<PlayID> = []

  init(_ pipeline: Pipeline) { self.pipeline = pipeline }

  func happened(_ happening: Happening, at now: Instant) {
    switch happening {
    case .changed, .judged, .alarm, .begins: break
    case .needsDevice: Finding.unless(!expectsNothing, "a reload of the same configuration played")
    case .heard(let play, _):
      Finding.unless(heard.insert(play.id).inserted, "a play was heard twice")
      Finding.unless(
        play.trigger.flatMap { pipeline.conductor.engine.trigger(named: $0) } != nil
          && pipeline.conductor.engine.sounds.contains(play.sound), "nobody has what is to be played")
      check(play.settings)
    case .stopping(let play, _):
      Finding.unless(!expectsNothing, "a reload of the same configuration stopped \(play.sound)")
      Finding.unless(heard.contains(play.id), "a play was stopped that was not heard")
    case .refused(let play, _): Finding.unless(!heard.contains(play.id), "a play was heard, and refused")
    case .ended(let play, let ending):
      Finding.unless(heard.remove(play.id) != nil || ending == .cancelled, "a play ended that was not heard")
    }
  }

  func refused(_ value: ValueID, _ refusal: ValueRefusal) {}

  private func check(_ settings: PlaySettings) {
    Finding.unless(
      0...1 ~= settings.volume && -1...1 ~= settings.pan && .zero...PlaySettings.longestFade ~= settings.fadeIn
        && .zero...PlaySettings.longestFade ~= settings.fadeOut, "played with impossible settings: \(settings)")
  }
}
