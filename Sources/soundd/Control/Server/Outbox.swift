import CLinux
import Glibc
import SoundTrigger

/// The replies and events that a connection has not sent yet. Uses no memory while it is empty.
struct Outbox {
  /// The kernel has taken them up to `sent`.
  private var bytes: [UInt8] = []
  private var sent = 0
  /// The long reply that is being sent. The next requests wait for its end.
  private(set) var long: LongReply?
  /// Events that were pushed during the long reply. They wait, because they must not break its line.
  private var pushed: [UInt8] = []
  /// How many bytes of events were pushed since everything was last sent.
  private var pushedCount = 0

  /// How many bytes the kernel has not taken.
  var unread: Int { bytes.count - sent }

  /// Whether there is nothing to send, now or later.
  var isEmpty: Bool { bytes.isEmpty && long == nil }

  /// What the peer has still to read; full with more than `limit` bytes, or a long reply.
  func backlog(limit: Int) -> ConnectionState.Backlog {
    isEmpty ? .empty : long != nil || unread > limit ? .full : .some
  }

  /// How many bytes of events the kernel has not taken. Replies do not count, because the peer asked for them.
  var unreadEvents: Int { min(unread + pushed.count, pushedCount) }

  /// Adds lines of events, each with its line feed.
  mutating func push(_ lines: [UInt8]) {
    pushedCount += lines.count
    if long == nil { bytes.append(contentsOf: lines) } else { pushed.append(contentsOf: lines) }
  }

  /// Adds the reply to a line. A long reply adds its bytes later, by `addPart`.
  mutating func add(_ reply: Reply, line number: Int) {
    if case .long(let parts) = reply { long = parts } else { reply.write(to: &bytes, line: number) }
  }

  /// Adds the next part of the long reply; `nil` ends the reply.
  mutating func addPart(_ part: [UInt8]?) {
    if let part { return bytes.append(contentsOf: part) }
    long = nil
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: pushed)
    pushed = []
  }

  /// Sends as much as the kernel takes. Throws if the peer takes no more.
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
      // Only now and then, because moving the rest after each send would cost quadratic time.
      bytes.removeFirst(sent)
      sent = 0
    }
  }
}
