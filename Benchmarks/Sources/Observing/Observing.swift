// Observing times: the medians, in nanoseconds, from a change of an observed property on: to the main actor by a task that starts there
// (bare), by a task that hops to an actor it is given (hop), and to the play command in the mixer's queue (feedback).
// Observing counts: the calls of malloc for each change, of both.
// Observing rest: what 10,000 triggers need: bytes, milliseconds to declare and to end them.
// Observing ended: a change before and after 3,000 triggers of its model have ended, in nanoseconds; the bytes that 10,000 models leave
// whose triggers held them weakly, for each; the time to end 10,000 triggers by their handles, in milliseconds.
// Observing bare|feedback CHANGES: lets so many changes happen; run it under callgrind.
import AllocationCounter
import CLinux
import Glibc
import Observation
import SoundTrigger

/// An output whose mixer takes each command at once, and a clock that stands still.
final class ImmediateOutput: AudioOutput {
  let control = MixerControl(voiceLimit: 256, rate: 48_000)
  let isReady = true
  private var mixer: Mixer
  private let out = UnsafeMutableRawPointer.allocate(byteCount: 64 * 2 * 4, alignment: 64)
  /// Called when the commands are in the queue.
  var woken: () -> Void = {}

  init() { mixer = control.makeMixer(level: 1) }

  var isSilent: Bool { control.activeCount == 0 }

  func wake() { woken() }

  func collect(_ receive: (VoiceReport) -> Void) -> OutputError? {
    control.collect(receive)
    return nil
  }

  /// Plays two blocks, so that a sound one block long is over.
  func render() {
    for _ in 0..<2 {
      mixer.render(into: out, frames: 64, format: .int32, channels: 2)
      mixer.reportStarts(at: 0, delay: 0)
    }
  }
}

final class StandingClock: PlayerClock {
  let now = Instant(nanoseconds: 1)
  let turns: PendingTurns? = nil
  func deadlineCameCloser() {}
  func sleep(for duration: Duration, isolation: isolated (any Actor)?) async throws {}
  func silence() async {}
}

@MainActor @Observable final class Model { var count = 0 }

/// One way to learn of a change.
@MainActor protocol Way: AnyObject {
  /// When the last change arrived, in nanoseconds.
  var arrival: Int64 { get set }
  /// Goes on when it has arrived.
  var waiter: UnsafeContinuation<Void, Never>? { get set }
  /// What comes after the measurement.
  func clean()
}

/// withObservationTracking and a task: one that starts on the main actor, or one that hops to whatever actor it is given, as
/// a library must.
@MainActor final class Callback: Way {
  var arrival: Int64 = 0
  var waiter: UnsafeContinuation<Void, Never>?
  private let model: Model
  private let hops: Bool

  init(_ model: Model, hops: Bool) {
    self.model = model
    self.hops = hops
    register()
  }

  private func register() {
    withObservationTracking {
      _ = model.count
    } onChange: {
      if self.hops {
        Task { await Callback.resume(self, isolation: MainActor.shared) }
      } else {
        Task { @MainActor in self.resume() }
      }
    }
  }

  private static func resume(_ callback: Callback, isolation: isolated (any Actor)?) {
    MainActor.assumeIsolated { callback.resume() }
  }

  private func resume() {
    register()
    arrive()
  }

  func clean() {}
}

/// A trigger of a player.
@MainActor final class Feedback: Way {
  var arrival: Int64 = 0
  var waiter: UnsafeContinuation<Void, Never>?
  private let output = ImmediateOutput()
  let player: SoundPlayer

  init(_ model: Model) throws {
    let core = PlayerCore(output, locator: SoundLocator(folders: []), clock: StandingClock())
    // A block long.
    let clip = try Clip([Float](repeating: 0.25, count: 2 * 64), rate: 48_000)
    core.perform { conductor, _ in conductor.player.sounds.set("success", .success(clip)) }
    player = SoundPlayer(core)
    output.woken = { [unowned self] in MainActor.assumeIsolated { arrive() } }
    player.sensoryFeedback(.success, trigger: model.count)
  }

  func clean() {
    output.render()
    player.core.advance()
  }
}

extension Way {
  func arrive() {
    arrival = Output.now.nanoseconds
    waiter?.resume()
    waiter = nil
  }
}

@MainActor func changes(_ count: Int, of model: Model, _ way: any Way) async -> [Int64] {
  var times: [Int64] = []
  times.reserveCapacity(count)
  for _ in 0..<count {
    var start: Int64 = 0
    await withUnsafeContinuation { waiter in
      way.waiter = waiter
      start = Output.now.nanoseconds
      model.count += 1
    }
    times.append(way.arrival - start)
    way.clean()
  }
  return times
}

@MainActor func allocationsPerChange(_ model: Model, _ way: any Way) async -> Double {
  _ = await changes(1_000, of: model, way)
  var (count, rounds): (UInt64, Double) = (0, 0)
  while rounds < 1_000 {
    let (before, thread) = (allocation_counter_of_this_thread(), clinux_thread_id())
    await withUnsafeContinuation { waiter in
      way.waiter = waiter
      model.count += 1
    }
    // The main actor may move to another thread, which has a counter of its own.
    if clinux_thread_id() == thread {
      count += allocation_counter_of_this_thread() - before
      rounds += 1
    }
    way.clean()
  }
  return Double(count) / rounds
}

/// The resident pages (statm), in bytes.
func bytes() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var (all, resident) = (0, 0)
  withUnsafeMutablePointer(to: &all) { all in
    withUnsafeMutablePointer(to: &resident) { resident in
      _ = withVaList([all, resident]) { vfscanf(file, "%ld %ld", $0) }
    }
  }
  return resident * 4096
}

func milliseconds(_ since: Int64) -> Double { Double(Output.now.nanoseconds - since) / 1e6 }

@MainActor func ended() async throws {
  let model = Model()
  let way = try Feedback(model)
  func median() async -> Int64 {
    var times: [Int64] = []
    for _ in 0..<20 { times += await changes(200, of: model, way) }
    return times.sorted()[2_000]
  }
  _ = await median()
  let before = await median()
  for _ in 0..<1_000 {
    way.player.sensoryFeedback(.success, trigger: model.count).end()
    way.player.sensoryFeedback(.success, of: model, trigger: \.count).end()
    way.player.task(id: model.count, delay: .seconds(3)) {}.end()
  }
  print("before \(before)")
  print("after \(await median())")
  let core = way.player.core
  func models(_ count: Int, atOnce: Int) async -> Int {
    let before = bytes()
    for _ in 0..<count / atOnce {
      var models = (0..<atOnce).map { _ in Model() }
      for model in models {
        way.player.sensoryFeedback(.success, of: model, trigger: \.count)
        model.count += 1
      }
      await core.settled()
      models = []
      while core.triggerCount > 1 { await Task.yield() }
    }
    clinux_trim_heap()
    return (bytes() - before) / count
  }
  print("left-one-by-one \(await models(10_000, atOnce: 1))")
  print("left-at-once \(await models(10_000, atOnce: 10_000))")
  print("left-once-more \(await models(10_000, atOnce: 10_000))")
  let start = Output.now.nanoseconds
  let handles = (0..<10_000).map { _ in way.player.sensoryFeedback(.success, trigger: model.count) }
  print("declare-one-model \(milliseconds(start))")
  let end = Output.now.nanoseconds
  for handle in handles { handle.end() }
  print("end-one-model \(milliseconds(end))")
}

@MainActor func rest() async throws {
  let count = 10_000
  let models = (0..<count).map { _ in Model() }
  let core = PlayerCore(ImmediateOutput(), locator: SoundLocator(folders: []), clock: StandingClock())
  let clip = try Clip([0, 0], rate: 48_000)
  core.perform { conductor, _ in conductor.player.sounds.set("success", .success(clip)) }
  var player: SoundPlayer? = SoundPlayer(core)
  let (before, start) = (bytes(), Output.now.nanoseconds)
  for model in models { player?.sensoryFeedback(.success, trigger: model.count) }
  print("declare \(milliseconds(start))")
  print("bytes \((bytes() - before) / count)")
  let end = Output.now.nanoseconds
  player = nil
  print("end \(milliseconds(end))")
  // The models outlive their triggers: what it takes to free them is not the player's.
  withExtendedLifetime(models) {}
}

@main struct Observing {
  @MainActor static func main() async throws {
    let arguments = CommandLine.arguments
    switch arguments.count > 1 ? arguments[1] : "" {
    case "times":
      // In turns, so that a busy machine slows both.
      let models = [Model(), Model(), Model()]
      let ways: [any Way] = [
        Callback(models[0], hops: false), Callback(models[1], hops: true), try Feedback(models[2]),
      ]
      var times: [[Int64]] = [[], [], []]
      for _ in 0..<100 {
        for way in ways.indices { times[way] += await changes(200, of: models[way], ways[way]) }
      }
      for (name, times) in zip(["bare", "hop", "feedback"], times) { print("\(name) \(times.sorted()[10_000])") }
    case "counts":
      let (first, second) = (Model(), Model())
      print("bare \(await allocationsPerChange(first, Callback(first, hops: false)))")
      print("feedback \(await allocationsPerChange(second, try Feedback(second)))")
    case "rest": try await rest()
    case "ended": try await ended()
    case "bare", "feedback":
      guard let count = arguments.last.flatMap({ Int($0) }) else { fallthrough }
      let model = Model()
      let way: any Way = arguments[1] == "bare" ? Callback(model, hops: false) : try Feedback(model)
      _ = await changes(count, of: model, way)
    default:
      print("usage: Observing times|counts|rest|ended, or bare|feedback CHANGES")
      exit(64)
    }
  }
}
