import Harness
import SoundTrigger

import SoundWire
@testable import soundd

/// A pipeline that notes what it does, fed with lines in one of the ways in which the daemon is.
final class Rig: PipelineObserver {
  /// What a line brought about.
  enum Note: Equatable {
    case played(Play)
    case refused(Play, PlayEvent.Refusal)
    case stopping(Play, at: Instant)
    case ended(Play, PlayEvent.Ending)
    /// A request that is none of the pipeline's.
    case request(line: Int, Request)
    case error(line: Int, String)
    /// A derived value that does not follow.
    case refusal(ValueID, ValueRefusal)
  }

  /// That of all rigs: each clip begins elsewhere in its memory, so that no two take the same number of bytes.
  private static let clip = try? Clip([0, 0], rate: 48_000)

  private(set) var notes: [Note] = []
  /// How many lines were taken.
  private(set) var lines = 0
  private let pipeline: Pipeline
  private var reader = LineReader()

  init(_ configuration: Configuration) {
    do throws(ValueStoreError) {
      pipeline = try Pipeline(
        configuration, player: Player(OfflineOutput(writer: nil, rate: 48_000, acceptsAtOnce: true)))
    } catch {
      Finding.report("the configuration of the target itself: \(error)")
    }
    pipeline.observer = self
    var sounds = LoadedSounds()
    guard let clip = Self.clip else { Finding.report("there is no memory for a clip") }
    for name in pipeline.conductor.engine.sounds { sounds.set(name, .success(clip)) }
    pipeline.setSounds(sounds, at: Instant(nanoseconds: 0))
  }

  func happened(_ happening: Happening, at now: Instant) {
    switch happening {
    case .changed, .judged, .alarm, .needsDevice, .begins: break
    case .heard(let play, _): notes.append(.played(play))
    case .refused(let play, let reason): notes.append(.refused(play, reason))
    case .stopping(let play, let time): notes.append(.stopping(play, at: time))
    case .ended(let play, let ending): notes.append(.ended(play, ending))
    }
  }
  func refused(_ value: ValueID, _ refusal: ValueRefusal) { notes.append(.refusal(value, refusal)) }

  /// Whether a line has begun and not ended.
  var isInsideLine: Bool { reader.isInsideLine }

  /// All that can be known of the values and of what is still to come.
  var state: (values: [ValueSnapshot], contents: [Value?], deadline: Instant?) {
    let ids = Array(pipeline.store.ids)
    return (ids.map(pipeline.store.snapshot), ids.map(pipeline.store.value), pipeline.nextDeadline)
  }

  /// Has everything happen that is due.
  func advance(to now: Instant) {
    pipeline.advance(to: now)
    _ = pipeline.collect(at: now)
  }

  /// Takes in a whole line without its end; `nil`: it was too long.
  func take(_ line: Span<UInt8>?, _ number: Int, at now: Instant) {
    lines += 1
    Finding.unless(number == lines, "line \(lines) has the number \(number)")
    do {
      let request = try Request(line)
      guard let line else { return }
      check(request, line)
      if case .unset(let names) = request {
        do throws(UnsetProblem) { try pipeline.unset(names, at: now) } catch { complain("\(error)") }
        return
      }
      if try !pipeline.apply(request, of: line, at: now) { notes.append(.request(line: number, request)) }
    } catch {
      complain("\(error)")
    }
  }

  /// Takes in chunks of a stream line by line, as standard input does, and now and then stops after a line, as the socket does
  /// for a client that does not read.
  func feedLines(_ bytes: [UInt8], cutBy sizes: inout CutSizes, at now: Instant) {
    forEachChunk(of: bytes, sizes: &sizes) { chunk, sizes in
      var taken = 0
      while taken < chunk.count {
        let stops = sizes.quarter()
        let rest = Array(chunk[taken...])
        let count = reader.feed(rest.span) { line, number in
          take(line, number, at: now)
          return !stops
        }
        Finding.unless(count > 0 && count <= rest.count, "the reader took \(count) of \(rest.count) bytes")
        let endsLine = rest[count - 1] == UInt8(ascii: "\n")
        Finding.unless(count == rest.count || (stops && endsLine), "the reader stopped inside a line")
        taken += count
      }
    }
  }

  /// Ends the stream.
  func finish(at now: Instant) {
    reader.finish { line, number in
      take(line, number, at: now)
      return true
    }
    Finding.unless(!reader.isInsideLine, "after the end of the stream a line is still open")
  }

  /// Each chunk is an array of its own, so that the sanitizer sees a read beyond its end.
  private func forEachChunk(
    of bytes: [UInt8], sizes: inout CutSizes, _ body: (_ chunk: [UInt8], _ sizes: inout CutSizes) -> Void
  ) {
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + sizes.next())
      body(Array(bytes[start..<end]), &sizes)
      start = end
    }
  }

  private func complain(_ text: String) {
    ShownText.check(text)
    notes.append(.error(line: lines, text))
    var reply: [UInt8] = []
    Reply.error(text, .refused).write(to: &reply, line: lines)
    Finding.unless(reply.firstIndex(of: UInt8(ascii: "\n")) == reply.count - 1, "the error is more than a line")
    let refusal = DaemonRefusal(reply: reply.dropLast())
    Finding.unless(refusal?.line == lines && refusal?.code == .refused, "a client does not understand the error")
  }

  /// Holds a request against what SPEC and README say of a line.
  private func check(_ request: Request, _ line: Span<UInt8>) {
    switch request {
    case .assignment(let name, let value):
      let text = line.extracting(name).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      Finding.unless(ValueName(text) != nil, "'\(text)' was taken for a name")
      Finding.unless(value.upperBound == line.count, "the value does not go to the end of the line")
      Finding.unless(
        value.lowerBound == name.upperBound + 1 && line[name.upperBound] == UInt8(ascii: "="),
        "no '=' between the name and the value")
    case .object(let range):
      Finding.unless(line[range.lowerBound] == UInt8(ascii: "{") && range.upperBound == line.count, "no object")
    case .get(let name): Finding.unless(ValueName(name) != nil, "'\(name)' was taken for a name")
    case .events(let names, _, _):
      Finding.unless(names.allSatisfy { ValueName($0) != nil }, "\(names) were taken for names")
    case .unset(let names):
      Finding.unless(!names.isEmpty && names.allSatisfy { ValueName($0) != nil }, "\(names) were taken for names")
    case .explain(let text), .play(let text), .stop(.trigger(let text)), .acknowledge(.some(let text), _),
      .snooze(.some(let text), _), .unsnooze(let text), .testAlarm(let text):
      Finding.unless(!text.isEmpty, "an empty argument was taken for one")
    case .list, .status, .report, .sync, .stop(.sounds), .stop(.everything), .mute, .unmute, .volume, .profile, .reload,
      .blank,
      .alarms,
      .acknowledge(nil, _), .snooze(nil, _):
      break
    }
  }
}
