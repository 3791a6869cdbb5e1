import Glibc
public import Observation

/// A value of a running soundd, as observable state that can be set.
///
/// ```swift
/// let build = RemoteValue("build")
/// try await build.set("failed")
/// for await text in build.changes { print(text ?? "no content yet") }
/// ```
///
/// It follows the value from `init` until its last reference goes. All values of a daemon share one connection and one thread. No call
/// blocks, and you may use it from any thread or actor.
///
/// If there is no daemon, or its connection ends, `RemoteValue` connects again: after 100 ms, then after pauses that double up
/// to 5 s. Each connection begins with the present content, so the last content is never lost. Contents that came and went
/// without a connection are lost. Meanwhile `text` keeps the last known content.
///
/// Contents are text, as `soundd get` prints them: numbers, booleans and documents as JSON, bytes that are not UTF-8 as U+FFFD.
/// soundd keeps contents of up to 64 KiB. Of a longer one you get a JSON object with its length and SHA-256.
public final class RemoteValue: Observable, Sendable {
  /// The value's name.
  public let name: String
  package let follower: ValueFollower
  private let registrar = ObservationRegistrar()
  /// The socket's path, or why there is nothing to follow.
  private let socketPath: Result<String, RemoteError>

  /// Follows a value, which need not exist yet.
  ///
  /// - Parameters:
  ///   - name: Its name. If it is none, `problem` says so.
  ///   - socket: The daemon's socket; `nil` for `$SOUNDD_SOCKET`, else `$XDG_RUNTIME_DIR/soundd.sock`, else, or if that folder is not
  ///     the user's own, `/run/user/UID/soundd.sock`.
  public init(_ name: String, socket: String? = nil) {
    self.name = name
    socketPath = Self.findSocket(name, socket)
    follower = ValueFollower(name)
    follower.setOnChange { [weak self] in self?.notify($0, $1) }
    switch socketPath {
    // Trying again would not help.
    case .failure(let error): follower.receive(failure: error)
    case .success(let path):
      ValueFeed.follow(follower, at: path) { () throws(RemoteError) in try Self.connect(path) }
    }
  }

  deinit {
    follower.finish()
    if case .success(let path) = socketPath { ValueFeed.leave(follower, at: path) }
  }

  /// The socket's path, or why there is nothing to follow.
  private static func findSocket(_ name: String, _ socket: String?) -> Result<String, RemoteError> {
    if ValueName(name) == nil { return .failure(.invalidName(name)) }
    do throws(SocketPath.Problem) {
      return .success(try SocketPath.resolve(option: socket) { getenv($0).map { String(cString: $0) } })
    } catch {
      return .failure(RemoteError(error))
    }
  }

  // MARK: State

  /// The present content; `nil` until it is known, and if the value has none.
  public var text: String? {
    registrar.access(self, keyPath: \.text)
    return follower.state.text
  }

  /// Whether a daemon is connected, so that `text` is the present content.
  public var isConnected: Bool {
    registrar.access(self, keyPath: \.isConnected)
    return follower.state.isConnected
  }

  /// Why no daemon is connected, else why the last `set` was refused; `nil` if all is well, and before the first attempt to
  /// connect has ended.
  public var problem: String? {
    registrar.access(self, keyPath: \.problem)
    return follower.state.problem
  }

  /// The present content, once it is known, and then each new one, until the `RemoteValue` goes.
  ///
  /// Each call returns a sequence of its own, for one consumer. It keeps one content: a consumer that is slower than the
  /// changes gets the newest and misses those between. A value of type `event` may come with the same content again.
  public var changes: some AsyncSequence<String?, Never> & Sendable { follower.makeStream() }

  /// Notifies the observers.
  ///
  /// The state has changed already: an observer on another actor reads the new one, however soon it looks.
  private func notify(_ old: ValueFollower.State, _ new: ValueFollower.State) {
    if old.text != new.text { registrar.withMutation(of: self, keyPath: \.text) {} }
    if old.isConnected != new.isConnected { registrar.withMutation(of: self, keyPath: \.isConnected) {} }
    if old.problem != new.problem { registrar.withMutation(of: self, keyPath: \.problem) {} }
  }

  // MARK: Requests

  /// Sets the value, and returns when the daemon has applied it and its triggers have decided.
  ///
  /// `text` and `changes` follow a moment later. Any text may be set if it has, escaped as JSON, room in 64 KiB together with
  /// the name. Calls that overlap take effect in any order. If the daemon does not answer for five seconds, the call fails, and
  /// the value may be set or not. Cancelling the task does not end the call.
  ///
  /// - Throws: ``RemoteError``: `refused` if the content does not fit the value's type, or a file or another value sets it.
  public func set(_ text: String) async throws {
    let object = JSONWriter.object { $0.member(name, text) }
    let errors = try await ask { connection throws(DaemonConnection.Problem) in
      try connection.sync(after: String(decoding: object, as: UTF8.self))
    }
    let refusal = errors.first.map { RemoteError($0) }
    follower.receive(refusal: refusal)
    if let refusal { throw refusal }
  }

  /// Asks the daemon for the present content; `nil` if the value has none, or does not exist.
  ///
  /// Gives up and throws as `set` does. `text` has the same content, without asking.
  public func get() async throws -> String? {
    let name = name
    let reply = try await ask { connection throws(DaemonConnection.Problem) in
      let response = try connection.request("get \(name)")
      // An error that answers no line ends the connection.
      if case .refused(let refusal) = response, refusal.line == nil {
        throw .closed(path: connection.path, said: refusal)
      }
      if case .line(let reply) = response, (try? ValueMessage(reply)) == nil {
        throw .notUnderstood(path: connection.path, said: String(decoding: reply, as: UTF8.self))
      }
      return response
    }
    switch reply {
    case .line(let reply): return (try? ValueMessage(reply))?.value?.text
    case .refused(let refusal) where refusal.code == .unknown: return nil
    case .refused(let refusal): throw RemoteError(refusal)
    }
  }

  private static func connect(_ path: String) throws(RemoteError) -> DaemonConnection {
    do throws(DaemonConnection.Problem) {
      return try DaemonConnection(path: path)
    } catch {
      throw RemoteError(error)
    }
  }

  /// Asks over a connection of its own, on a thread of its own.
  private func ask<Answer: Sendable>(
    _ request: @escaping @Sendable (DaemonConnection) throws(DaemonConnection.Problem) -> Answer
  ) async throws(RemoteError) -> Answer {
    let path = try socketPath.get()
    return try await DetachedThread.run { () throws(RemoteError) in
      let connection = try Self.connect(path)
      do throws(DaemonConnection.Problem) {
        return try request(connection)
      } catch {
        throw RemoteError(error)
      }
    }
  }
}
