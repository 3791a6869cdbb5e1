/// What is known of one value of a daemon, and the streams of its contents. Its `ValueFeed` writes it.
package final class ValueFollower: Sendable {
  /// What is known of the value.
  struct State: Sendable {
    /// The present content; after a connection was lost, the last one.
    var text: String?
    /// Whether a daemon has ever said what the content is.
    var isKnown = false
    var isConnected = false
    /// Why there is no connection.
    var failure: RemoteError?
    /// Why the last `set` was refused.
    var refusal: RemoteError?

    var problem: String? { (failure ?? refusal)?.description }
  }

  /// Streams of contents, by a number of their own.
  private struct Consumers: Sendable {
    var lastNumber = 0
    var byNumber: [Int: AsyncStream<String?>.Continuation] = [:]
  }

  let name: String
  private let content = Guarded((state: State(), consumers: Consumers()))
  private let onChange = Guarded<@Sendable (_ old: State, _ new: State) -> Void>({ _, _ in })

  init(_ name: String) { self.name = name }

  /// Sets what is called with the state before and after each change, on any thread. Call it before the value is followed.
  func setOnChange(_ action: @escaping @Sendable (_ old: State, _ new: State) -> Void) {
    onChange.withLock { $0 = action }
  }

  var state: State { content.withLock { $0.state } }

  /// Ends all streams, without waiting for them.
  func finish() {
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

  /// Changes the state, and notifies. Returns whether the content is news to the streams that it returns.
  @discardableResult
  private func update(
    _ change: (inout State) -> Void
  ) -> (isNews: Bool, streams: [AsyncStream<String?>.Continuation]) {
    let (old, new, streams) = content.withLock { content in
      let old = content.state
      change(&content.state)
      return (old, content.state, Array(content.consumers.byNumber.values))
    }
    onChange.withLock { $0 }(old, new)
    return (!old.isKnown || old.text != new.text, streams)
  }

  /// Receives why there is no connection.
  func receive(failure: RemoteError) {
    update { state in
      state.isConnected = false
      state.failure = failure
    }
  }

  /// Receives what has become of a `set`; `nil`: the daemon has taken it.
  func receive(refusal: RemoteError?) { update { $0.refusal = refusal } }

  /// Receives the content from the daemon.
  func receive(_ news: ValueReport.News) {
    let (isNews, streams) = update { state in
      state.text = news.text
      state.isKnown = true
      state.isConnected = true
      state.failure = nil
    }
    if !news.isChange, !isNews { return }
    for stream in streams { stream.yield(news.text) }
  }
}
