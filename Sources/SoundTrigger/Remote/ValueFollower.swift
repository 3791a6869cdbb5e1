import CLinux
import Glibc

/// Follows one value of a daemon on a thread of its own, until `stop`.
///
/// The thread keeps the follower alive while it runs.
package final class ValueFollower: Sendable {
  /// What is known of the value.
  struct State: Sendable {
    /// The present content; after a connection was lost, the last one.
    var text: String?
    /// Whether a daemon has ever said what the content is.
    var isKnown = false
    var isConnected = false
    /// Why there is no connection.
    var obstacle: RemoteError?
    /// Why the last `set` was refused.
    var refusal: RemoteError?

    var problem: String? { (obstacle ?? refusal)?.description }
  }

  /// Streams of contents, by a number of their own.
  private struct Consumers: Sendable {
    var lastNumber = 0
    var byNumber: [Int: AsyncStream<String?>.Continuation] = [:]
  }

  let name: String
  private let backoff: ConnectionBackoff
  let connect: @Sendable () throws(RemoteError) -> DaemonConnection
  private let content = Guarded((state: State(), consumers: Consumers()))
  /// Readable once the thread must end.
  private let end = Descriptor(owning: clinux_eventfd())

  /// `connect` makes each connection, and may block.
  init(
    _ name: String, backoff: ConnectionBackoff = ConnectionBackoff(),
    connect: @escaping @Sendable () throws(RemoteError) -> DaemonConnection
  ) {
    self.name = name
    self.backoff = backoff
    self.connect = connect
  }

  var state: State { content.withLock { $0.state } }

  /// Starts the thread. It calls `notify` with the state before and after each change.
  func start(_ notify: @escaping @Sendable (_ old: State, _ new: State) -> Void) {
    do throws(SystemError) {
      if end.raw < 0 { throw SystemError("eventfd") }
      try DetachedThread.start("soundd-remote") { self.run(notify) }
    } catch {
      content.withLock { $0.state.obstacle = .unavailable(error.description) }
    }
  }

  /// Ends the thread and all streams, without waiting for them.
  func stop() {
    clinux_eventfd_signal(end.raw)
    let streams = content.withLock { content in
      defer { content.consumers.byNumber = [:] }
      return content.consumers.byNumber.values
    }
    for stream in streams { stream.finish() }
  }

  /// A stream of the present content and each later one.
  func makeStream() -> AsyncStream<String?> {
    let (stream, continuation) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(1))
    let number = content.withLock { content in
      // Under the lock, so that no later content comes before this one. Nobody waits for this stream yet.
      if content.state.isKnown { continuation.yield(content.state.text) }
      content.consumers.lastNumber += 1
      content.consumers.byNumber[content.consumers.lastNumber] = continuation
      return content.consumers.lastNumber
    }
    continuation.onTermination = { [weak self] _ in
      self?.content.withLock { _ = $0.consumers.byNumber.removeValue(forKey: number) }
    }
    return stream
  }

  /// How many streams have a consumer, or may get one.
  var streamCount: Int { content.withLock { $0.consumers.byNumber.count } }

  /// Changes the state.
  ///
  /// - Returns: The state before and now, and the streams that do not have the new one yet.
  func update(
    _ change: (inout State) -> Void
  ) -> (old: State, new: State, streams: [AsyncStream<String?>.Continuation]) {
    content.withLock { content in
      let old = content.state
      change(&content.state)
      return (old, content.state, Array(content.consumers.byNumber.values))
    }
  }

  // MARK: The thread

  private func run(_ notify: (State, State) -> Void) {
    var backoff = backoff
    while true {
      do throws(RemoteError) {
        return try follow(notify, &backoff)
      } catch {
        let (old, new, _) = update { state in
          state.isConnected = false
          state.obstacle = error
        }
        notify(old, new)
      }
      let next = backoff.failed(at: Self.now)
      while case let rest = Self.now.duration(to: next), rest > .zero {
        if clinux_wait(end.raw, Int16(POLLIN), rest.nanoseconds) > 0 { return }
      }
    }
  }

  private static var now: Instant { Instant(nanoseconds: clinux_monotonic()) }

  /// Follows over one connection. Returns when the thread must end.
  private func follow(_ notify: (State, State) -> Void, _ backoff: inout ConnectionBackoff) throws(RemoteError) {
    let connection = try connect()
    do throws(DaemonConnection.Problem) {
      try connection.follow(name)
      var report = ValueReport()
      repeat {
        // Those that came with the reply, too.
        for line in try connection.takeLines() {
          guard let news = report.receive(line) else { continue }
          backoff.connected()
          receive(news, notify)
        }
      } while !connection.wait(forInput: end.raw).hasInput
    } catch {
      throw RemoteError(error)
    }
  }

  private func receive(_ news: ValueReport.News, _ notify: (State, State) -> Void) {
    let (old, new, streams) = update { state in
      state.text = news.text
      state.isKnown = true
      state.isConnected = true
      state.obstacle = nil
    }
    notify(old, new)
    if !news.isChange, old.isKnown, old.text == new.text { return }
    for stream in streams { stream.yield(new.text) }
  }
}

extension DaemonConnection {
  /// Asks for the state and the events of a value.
  fileprivate func follow(_ name: String) throws(Problem) {
    switch try request("events --state \(name)") {
    case .line(let reply) where reply == Array("ok".utf8): return
    case .line(let reply): throw .notUnderstood(path: path, said: String(decoding: reply, as: UTF8.self))
    case .refused(let refusal) where refusal.line == nil: throw .closed(path: path, said: refusal)
    case .refused(let refusal): throw .notUnderstood(path: path, said: refusal.text)
    }
  }
}

/// Reads the lines of `events --state NAME`. Pure: lines come in, contents come out.
struct ValueReport {
  struct News: Equatable {
    /// `nil`: the value has no content.
    var text: String?
    /// Whether it is a change; else it is the state.
    var isChange: Bool
  }

  private var state: String?
  private var isComplete = false

  /// What a line says of the content; `nil` if that is nothing.
  mutating func receive(_ line: [UInt8]) -> News? {
    guard let event = try? JSONObject(line) else { return nil }
    switch event.text("event") {
    case "value":
      state = event.text("value")
    case "ready":
      isComplete = true
    case "change": return News(text: event.text("new"), isChange: true)
    case "unset": return News(text: nil, isChange: true)
    default: return nil
    }
    return isComplete ? News(text: state, isChange: false) : nil
  }
}
