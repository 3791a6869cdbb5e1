/// What a connection waits for, and what it does next. Decides without a socket.
struct ConnectionState: Equatable {
  /// What the client at the other end still does.
  enum Peer {
    /// It may send more requests.
    case active
    /// It has sent its last request, and still reads replies.
    case finished
    /// Nothing: the connection is closed.
    case closed
  }

  /// What the next request waits for, apart from a full backlog.
  enum Wait: Equatable {
    /// Nothing.
    case nothing
    /// The next turn, because the connection has used up its share of this one.
    case turn
    /// The late reply to the request on this line.
    case reply(line: Int)
  }

  /// What the peer has still to read.
  enum Backlog {
    /// Nothing.
    case empty
    /// So little that the next request may be carried out.
    case some
    /// So much that the next request waits until the peer reads; also the unfinished rest of a long reply.
    case full
  }

  /// What the connection does when it gets its turn.
  enum Step {
    /// Leaves the event loop until its late reply comes, because the loop would report the hang-up again and again.
    case leaveLoop
    /// Makes and sends more of a long reply.
    case sendParts
    /// Carries out the lines that it holds.
    case carryOut
    /// Reads what the peer has sent.
    case read
  }

  var peer = Peer.active
  var wait = Wait.nothing
  /// Whether the client follows events. If so, the connection stays open after the peer's last request.
  var isSubscribed = false
  /// Bytes that were read and wait with the next request; at most one read buffer.
  var held: [UInt8] = []

  /// What to do if the loop reports `readiness`; `nil`: nothing yet.
  func step(_ readiness: EventLoop.Readiness, _ backlog: Backlog) -> Step? {
    switch wait {
    case .turn: return nil
    case .reply: return readiness.isHangUp ? .leaveLoop : nil
    case .nothing:
      if backlog == .full { return .sendParts }
      if !held.isEmpty { return .carryOut }
      return peer == .finished || readiness.subtracting(.writable).isEmpty ? nil : .read
    }
  }

  /// Whether the next request may be carried out.
  func mayContinue(_ backlog: Backlog) -> Bool { wait == .nothing && backlog != .full && peer != .closed }

  /// Whether the peer has got everything and nothing more can come.
  func isOver(_ backlog: Backlog) -> Bool {
    peer == .finished && wait == .nothing && backlog == .empty && !isSubscribed
  }

  /// Whether the daemon has carried out all lines that it has read, and the peer follows nothing.
  var isIdle: Bool { wait == .nothing && held.isEmpty && !isSubscribed && peer != .closed }

  /// Whether the connection makes no progress until the peer reads.
  func mustBeRead(_ backlog: Backlog) -> Bool { backlog == .full || (backlog == .some && peer == .finished) }

  /// What the event loop watches for.
  func wanted(_ backlog: Backlog) -> EventLoop.Readiness {
    let mayRead = peer == .active && mayContinue(backlog)
    let events: EventLoop.Readiness = mayRead ? [.readable, .peerFinished] : []
    return backlog == .empty ? events : events.union(.writable)
  }
}

extension EventLoop.Readiness {
  /// Whether the peer has closed both directions, or the connection is broken.
  var isHangUp: Bool { !isDisjoint(with: [.hangUp, .error]) }
}
