import Logging
import SoundTrigger

extension Daemon {
  func handle(_ request: Request, line: Span<UInt8>, from client: ControlClient) -> Reply {
    switch request {
    case .assignment, .object:
      do throws(AssignmentProblem) {
        _ = try pipeline.carryOut(request, of: line, at: loop.now)
        return .silent
      } catch {
        return .error("\(error)")
      }
    case .blank: return .silent
    case .sync: return .ok
    case .get(let name): return get(name)
    case .list: return .long(list)
    case .status: return .json(status.json)
    case .play(let sound): return play(sound, for: client)
    case .reload: return reload(for: client)
    case .explain(let trigger): return explain(trigger)
    case .stop(let trigger): return stopSounds(of: trigger)
    case .mute: return setMuted(true)
    case .unmute: return setMuted(false)
    case .volume(let level): return setVolume(level)
    case .profile(let name): return setProfile(name)
    case .events(let names): return follow(names, client)
    }
  }

  func handle(linesOf chunk: Span<UInt8>, from start: Int) -> AssignmentRun {
    if events.isEmpty { return pipeline.carryOut(linesOf: chunk, from: start, at: loop.now) }
    // What is played before the run is told before it: while it lasts, the engine cannot be asked what for.
    pipeline.settle(to: loop.now)
    tellPlays()
    isInRun = true
    defer { isInRun = false }
    return pipeline.carryOut(linesOf: chunk, from: start, at: loop.now)
  }

  /// A line of standard input, `nil` if it was too long.
  func takeLine(_ line: Span<UInt8>?, _ number: Int) {
    guard let line else { return complain(number, "\(RequestError.lineTooLong)") }
    do {
      let request = try Request(line)
      if try request == .blank || pipeline.carryOut(request, of: line, at: loop.now) { return }
      complain(number, "expected NAME=VALUE or a JSON object; commands go through the socket")
    } catch {
      complain(number, "\(error)")
    }
  }

  /// A line of standard input that is itself a value.
  func takeValue(_ value: ValueID, _ line: Span<UInt8>?, _ number: Int) {
    guard let line else { return complain(number, "\(RequestError.lineTooLong)") }
    if let refusal = pipeline.update(value, content: line, at: loop.now) { complain(number, "\(refusal)") }
  }

  private func complain(_ number: Int, _ text: String) { log.error("standard input: line \(number): \(text)") }

  /// All values, each as it is when it is its turn; those that come up meanwhile are left out.
  private var list: LongReply {
    var ids = pipeline.store.ids.makeIterator()
    var separator = "["
    var isOver = false
    return LongReply { [weak self] in
      guard let self, !isOver else { return nil }
      var part: [UInt8] = []
      while !isOver, part.count < 16_384 {
        if let id = ids.next() {
          part += separator.utf8
          part += report(id).json
          separator = ","
        } else {
          isOver = true
          part += (separator == "[" ? "[]" : "]").utf8
        }
      }
      return part
    }
  }

  private func get(_ name: String) -> Reply {
    guard let id = pipeline.store.id(of: Array(name.utf8).span) else {
      return .error("there is no value '\(name)' (see 'soundd list')")
    }
    return .json(report(id).json)
  }

  private func reload(for client: ControlClient) -> Reply {
    // One line: the log has all of them.
    func describe(_ failure: Failure) -> Reply {
      .error(failure.description.split(separator: "\n").joined(separator: "; "))
    }
    do throws(Failure) {
      try reload { [weak client] in client?.reply($0.map(describe) ?? .ok) }
      return .later
    } catch {
      return describe(error)
    }
  }
}
