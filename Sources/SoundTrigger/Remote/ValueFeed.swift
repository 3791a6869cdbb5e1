import CLinux

/// One connection to a daemon, on a thread of its own, for all values of that daemon that this program follows.
///
/// The thread keeps the feed alive. It ends after the last follower has left.
final class ValueFeed: Sendable {
  /// The feeds whose threads run, by the paths of the sockets.
  private static let feeds = Guarded<[String: ValueFeed]>([:])
  /// How many names the daemon takes. Beyond that the feed follows all values.
  private static let mostNames = 256

  /// The followers by the names of their values.
  private struct Followers: Sendable {
    var byName: [String: [ValueFollower]] = [:]
    /// The number of the newest follower. Each number is used once; the address of a follower that left is soon another one's.
    var lastNumber = 0

    var all: some Sequence<ValueFollower> { byName.values.joined() }
  }

  private let path: String
  private let followers = Guarded(Followers())
  /// Readable when somebody follows, or no longer follows.
  private let news: EventDescriptor

  private init(_ path: String) throws(SystemError) {
    self.path = path
    news = try EventDescriptor()
  }

  // MARK: Followers

  /// Begins to follow a value of the daemon with this socket. `connect` makes each connection, and may block.
  static func follow(
    _ follower: ValueFollower, at path: String, backoff: ConnectionBackoff = ConnectionBackoff(),
    connect: @escaping @Sendable () throws(RemoteError) -> DaemonConnection
  ) {
    let problem = feeds.withLock { feeds -> SystemError? in
      if let feed = feeds[path] {
        feed.add(follower)
        return nil
      }
      do throws(SystemError) {
        let feed = try ValueFeed(path)
        feed.add(follower)
        try DetachedThread.start("soundd-remote") { feed.run(backoff, connect) }
        feeds[path] = feed
        return nil
      } catch {
        return error
      }
    }
    if let problem { follower.receive(failure: .unavailable(problem.description)) }
  }

  private func add(_ follower: ValueFollower) {
    followers.withLock { followers in
      followers.byName[follower.name, default: []].append(follower)
      followers.lastNumber += 1
    }
    news.signal()
  }

  /// Ends that, without waiting for the thread.
  static func leave(_ follower: ValueFollower, at path: String) {
    guard let feed = feeds.withLock({ $0[path] }) else { return }
    feed.followers.withLock { followers in
      followers.byName[follower.name]?.removeAll { $0 === follower }
      if followers.byName[follower.name]?.isEmpty ?? false { followers.byName[follower.name] = nil }
    }
    feed.news.signal()
  }

  /// Whether anybody follows. If not, the next one gets a new feed.
  private var isFollowed: Bool {
    Self.feeds.withLock { feeds in
      let isFollowed = followers.withLock { !$0.byName.isEmpty }
      if !isFollowed, feeds[path] === self { feeds[path] = nil }
      return isFollowed
    }
  }

  // MARK: The thread

  private func run(_ backoff: ConnectionBackoff, _ connect: () throws(RemoteError) -> DaemonConnection) {
    var backoff = backoff
    while isFollowed {
      do throws(RemoteError) {
        try follow(try connect(), &backoff)
      } catch {
        let next = backoff.failed(at: Self.now)
        repeat {
          news.drain()
          for follower in followers.withLock({ Array($0.all) }) { follower.receive(failure: error) }
        } while news.wait(for: max(.zero, Self.now.duration(to: next))) && isFollowed
      }
    }
  }

  private static var now: Instant { Instant(nanoseconds: clinux_monotonic()) }

  /// The number of the newest follower, and the names of all values that are followed.
  private var present: (newest: Int, names: [String]) {
    followers.withLock { ($0.lastNumber, Array($0.byName.keys)) }
  }

  /// Follows over one connection, until the last follower has left.
  private func follow(_ connection: DaemonConnection, _ backoff: inout ConnectionBackoff) throws(RemoteError) {
    do throws(DaemonConnection.Problem) {
      var (newest, names) = present
      try connection.subscribe(Self.request(names))
      var report = ValueReport(names)
      /// The names of the requests that the daemon has not answered yet.
      var asked: [[String]] = []
      while isFollowed {
        // Those that came with the reply, too.
        for line in try connection.takeLines() {
          if line == DaemonConnection.ok, !asked.isEmpty {
            report = ValueReport(asked.removeFirst())
          } else if let refusal = DaemonRefusal(reply: line) {
            throw .closed(path: connection.path, said: refusal)
          }
          for news in report.receive(line) {
            backoff.connected()
            for follower in followers.withLock({ $0.byName[news.name] }) ?? [] { follower.receive(news) }
          }
        }
        guard connection.wait(forInput: news.raw).hasInput else { continue }
        news.drain()
        let now = present
        // A request replaces the one before, and asks for the state once more.
        if now.newest != newest {
          (newest, names) = now
          asked.append(names)
          try connection.send(line: Self.request(names))
        }
      }
    } catch {
      throw RemoteError(error)
    }
  }

  private static func request(_ names: [String]) -> String {
    (["events", "--state"] + (names.count > mostNames ? [] : names)).joined(separator: " ")
  }
}

extension DaemonConnection {
  fileprivate static let ok = Array("ok".utf8)

  /// Asks for the state and the events of values.
  fileprivate func subscribe(_ request: String) throws(Problem) {
    switch try self.request(request) {
    case .line(let reply) where reply == Self.ok: return
    case .line(let reply): throw .notUnderstood(path: path, said: String(decoding: reply, as: UTF8.self))
    case .refused(let refusal) where refusal.line == nil: throw .closed(path: path, said: refusal)
    case .refused(let refusal): throw .notUnderstood(path: path, said: refusal.text)
    }
  }
}
