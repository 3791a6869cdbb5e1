import Harness

@testable import SoundTrigger
@testable import soundd

/// Runs a configuration for a while, with contents for all its values.
enum TrialRun {
  /// What every value is fed with.
  private static let contents = ["0", "1", "100", "on", "-1e300", "{\"a\":{\"b\":[1,\"x\"]}}", "passed", "", "a b\nc"]

  static func run(_ configuration: Configuration) {
    let pipeline: Pipeline
    do throws(ValueStoreError) {
      pipeline = try Pipeline(configuration)
    } catch {
      // What triggers name counts too, and its number is known only when the pipeline is built.
      guard case .tooManyValues(_, configuration.limits.values) = error else {
        Finding.report("an accepted configuration cannot be run: \(error)")
      }
      return
    }
    // The engine must not be used from within, so what is known of it is taken before.
    let (triggers, sounds) = (pipeline.engine.definitions.count, pipeline.engine.sounds.count)
    var plays = 0
    pipeline.perform = { action in
      plays += 1
      check(action, triggers, sounds)
      // Now and then there is no voice for it.
      return plays % 7 == 0 ? .crowded : .played
    }
    var now = Instant(nanoseconds: 0)
    for content in contents {
      for id in Array(pipeline.store.ids) where !pipeline.store.source(of: id).isDerived {
        _ = pipeline.update(id, content: Array(content.utf8).span, at: now)
      }
      now = now.advanced(by: .milliseconds(250))
      wait(pipeline, until: now)
    }
    wait(pipeline, until: now.advanced(by: .seconds(4000)))
    replaceByItself(pipeline, configuration, at: now.advanced(by: .seconds(4000)))
  }

  /// Does what is due, as the event loop does it, and sees that it comes to an end.
  private static func wait(_ pipeline: Pipeline, until end: Instant) {
    var last = Instant(nanoseconds: .min)
    for _ in 0..<200 {
      guard let deadline = pipeline.nextDeadline, deadline <= end else { break }
      Finding.unless(deadline > last, "what was due at \(deadline.nanoseconds) ns is due once more")
      last = deadline
      pipeline.advance(to: deadline)
    }
  }

  /// A reload of what has not changed does nothing.
  private static func replaceByItself(_ pipeline: Pipeline, _ configuration: Configuration, at now: Instant) {
    pipeline.advance(to: now)
    pipeline.perform = { Finding.report("a reload of the same configuration did \($0)") }
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

  private static func check(_ action: TriggerAction, _ triggers: Int, _ sounds: Int) {
    switch action {
    case .play(let trigger, let sound, let settings, _, _):
      Finding.unless(0..<triggers ~= trigger.index && 0..<sounds ~= sound.index, "nobody has what is to be played")
      Finding.unless(
        0...1 ~= settings.volume && -1...1 ~= settings.pan && .zero...PlaySettings.longestFade ~= settings.fadeIn
          && .zero...PlaySettings.longestFade ~= settings.fadeOut, "played with impossible settings: \(settings)")
    case .stop(let trigger, _): Finding.unless(0..<triggers ~= trigger.index, "nobody has what is to be stopped")
    }
  }
}
