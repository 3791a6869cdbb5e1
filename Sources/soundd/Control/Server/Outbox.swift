import CLinux
import Glibc
import SoundTrigger

/// What a connection has still to send: replies, and the events between them. It holds no memory if that is nothing.
struct Outbox {
  /// Taken by the kernel up to `sent`.
  private var bytes: [UInt8] = []
  private var sent = 0
  /// The long reply that is being sent, and for whose end the next requests wait.
  private(set) var long: LongReply?
  /// Events that were pushed meanwhile, because they must not break that line.
  private var pushed: [UInt8] = []
  /// How much was pushed since everything was last read.
  private var pushedCount = 0

  /// What the kernel has not taken, in bytes.
  var unread: Int { bytes.count - sent }

  /// Whether there is nothing to send, now or later.
  var isEmpty: Bool { bytes.isEmpty && long == nil }

  /// What the peer has still to read; full with more than `limit` bytes, or a long reply.
  func backlog(limit: Int) -> ConnectionState.Backlog {
    isEmpty ? .empty : long != nil || unread > limit ? .full : .some
  }

  /// What is unread of the events, in bytes. What the peer asked for itself does not count.
  var unreadEvents: Int { min(unread + pushed.count, pushedCount) }

  /// Adds events, and the end of the last line.
  mutating func push(_ lines: [UInt8]) {
    pushedCount += lines.count + 1
    if long == nil { Self.append(lines, to: &bytes) } else { Self.append(lines, to: &pushed) }
  }

  /// Adds the reply to a line; of a long one nothing yet.
  mutating func add(_ reply: Reply, line number: Int) {
    if case .long(let parts) = reply { long = parts } else { reply.write(to: &bytes, line: number) }
  }

  /// Adds the next part of the long reply; `nil`: it has ended.
  mutating func addPart(_ part: [UInt8]?) {
    if let part { return bytes.append(contentsOf: part) }
    long = nil
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: pushed)
    pushed = []
  }

  private static func append(_ lines: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(contentsOf: lines)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Sends what the kernel takes. Throws if the peer takes nothing any more.
  mutating func send(to fd: Int32) throws(SystemError) {
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        clinux_send(fd, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        throw SystemError("send")
      }
    }
    if sent == bytes.count {
      bytes = []
      sent = 0
      pushedCount = pushed.count
    } else if sent > bytes.count / 2 {
      // Not at every send: moving the rest each time would cost its square.
      bytes.removeFirst(sent)
      sent = 0
    }
  }
}
