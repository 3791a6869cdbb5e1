import CLinux
import Glibc
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

/// Keeps what it is asked, and answers `get` and `list`.
final class RecordingHandler: RequestHandler {
  var values: [String] = []
  var requests: [Request] = []
  var closed = 0
  var refusedPeers: [UInt32] = []
  /// How often new clients had to wait.
  var waits = 0
  /// How long clients were idle that were closed to make room.
  var idleTimes: [Duration] = []
  var list = Array("[]".utf8)
  /// What is made of a long reply so far, and how long it becomes.
  var parts = 0
  var allParts = 0
  var onRequest: (Request, ClientConnection) -> Void = { _, _ in }

  func handle(_ request: Request, line: Span<UInt8>, from client: ClientConnection) -> Reply {
    requests.append(request)
    onRequest(request, client)
    switch request {
    case .assignment:
      let text = line.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      values.append(text)
      return text.hasPrefix("bad=") ? .error("'bad' cannot be set", .refused) : .silent
    case .get(let name): return .json(Array("{\"name\":\"\(name)\"}".utf8))
    case .list: return .json(list)
    case .status:
      parts = 0
      return .long(
        LongReply { [unowned self] in
          if parts == allParts { return nil }
          parts += 1
          return [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        })
    case .play: return .later
    case .explain: return .error("'explain' is not supported by this version of soundd", .unknownRequest)
    default: return .ok
    }
  }

  func clientDidClose(_ client: ClientConnection) { closed += 1 }

  func willReply() {}

  func clientsMustWait(_ reason: Int32) { waits += 1 }

  func clientMakesRoom(idleFor time: Duration) { idleTimes.append(time) }

  func refusedPeer(uid: UInt32) { refusedPeers.append(uid) }
}

/// A server and raw clients on one loop.
final class ServerRig {
  let loop: EventLoop
  let handler = RecordingHandler()
  let folder: TemporaryFolder
  let server: ControlServer

  var path: String { folder("s.sock") }

  init(limits: ControlServer.Limits = .init(), permits: @escaping (uid_t) -> Bool = { _ in true }) throws {
    loop = try EventLoop()
    folder = TemporaryFolder()
    server = try ControlServer(
      ListeningSocket(path: folder("s.sock")), on: loop, handler: handler, limits: limits, permits: permits)
  }

  func connect() throws -> RawClient { try RawClient(self) }
}

/// The other end: a non-blocking socket that turns the loop while it waits.
final class RawClient {
  let fd: Int32
  private let loop: EventLoop
  var received: [UInt8] = []
  private(set) var isAtEnd = false
  private var isOpen = true

  init(_ rig: ServerRig) throws {
    loop = rig.loop
    fd = clinux_unix_socket(1)
    #expect(clinux_unix_connect(fd, rig.path) == 0)
  }

  deinit { close() }

  func close() {
    if isOpen { Glibc.close(fd) }
    isOpen = false
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    try loop.turn {
      let count = bytes.withUnsafeBytes { clinux_send(fd, $0.baseAddress.map { $0 + sent }, $0.count - sent) }
      if count > 0 { sent += count }
      return sent == bytes.count || (count < 0 && errno != EAGAIN)
    }
  }

  func receive() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isAtEnd {
      let count = recv(fd, &buffer, buffer.count, 0)
      if count > 0 { received += buffer[..<count] }
      if count == 0 || (count < 0 && errno == ECONNRESET) { isAtEnd = true }
      if count < 0 { return }
    }
  }

  /// What has come, once it ends in `suffix`.
  func text(endingIn suffix: String) throws -> String {
    let end = Array(suffix.utf8)
    try loop.turn {
      receive()
      return received.suffix(end.count).elementsEqual(end)
    }
    return String(decoding: received, as: UTF8.self)
  }

  /// Everything that comes until the server closes the connection.
  func textToEnd() throws -> String {
    try loop.turn {
      receive()
      return isAtEnd
    }
    return String(decoding: received, as: UTF8.self)
  }
}
