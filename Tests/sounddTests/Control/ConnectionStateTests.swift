import SoundTrigger
import Testing

@testable import soundd

/// What a connection does next, by its state and what has happened.
struct ConnectionStateTests {
  typealias State = ConnectionState

  static let sent: EventLoop.Readiness = .readable
  static let hungUp: EventLoop.Readiness = [.readable, .peerFinished, .hangUp]

  static let steps: [(String, State, EventLoop.Readiness, State.Backlog, State.Step?)] = [
    ("reads what the peer sent", State(), sent, .empty, .read),
    ("reads while a few replies are unread", State(), sent, .some, .read),
    ("reads what a peer sent before it hung up", State(), hungUp, .empty, .read),
    ("has nothing to do if it may only write", State(), .writable, .some, nil),
    ("reads nothing while the peer must read first", State(), sent, .full, .sendParts),
    ("carries out held lines before it reads", State(held: [1]), sent, .empty, .carryOut),
    ("carries out held lines without a report", State(held: [1]), [], .some, .carryOut),
    ("holds lines while the peer must read first", State(held: [1]), .writable, .full, .sendParts),
    ("leaves the turn to the others", State(wait: .turn, held: [1]), sent, .empty, nil),
    ("stays for its turn after a hang-up", State(wait: .turn, held: [1]), hungUp, .empty, nil),
    ("waits for a late reply", State(wait: .reply(line: 3), held: [1]), sent, .empty, nil),
    ("waits for a late reply elsewhere after a hang-up", State(wait: .reply(line: 3)), hungUp, .empty, .leaveLoop),
    ("reads nothing after the end", State(peer: .finished), sent, .empty, nil),
    ("goes on with a long reply after the end", State(peer: .finished), .writable, .full, .sendParts),
  ]

  @Test(arguments: steps.indices) func `a connection that is ready`(index: Int) {
    let (what, state, readiness, backlog, step) = Self.steps[index]
    #expect(state.step(readiness, backlog) == step, "\(what)")
  }

  static let watches: [(String, State, State.Backlog, EventLoop.Readiness, mustBeRead: Bool)] = [
    ("waits for requests", State(), .empty, [.readable, .peerFinished], false),
    ("waits for both", State(), .some, [.readable, .peerFinished, .writable], false),
    ("waits until the peer reads", State(), .full, .writable, true),
    ("needs no report for its turn", State(wait: .turn), .empty, [], false),
    ("waits for a late reply", State(wait: .reply(line: 1)), .empty, [], false),
    ("sends events before a late reply", State(wait: .reply(line: 1)), .some, .writable, false),
    ("waits until the peer has read all", State(peer: .finished), .some, .writable, true),
    ("follows events after the last request", State(peer: .finished, isSubscribed: true), .empty, [], false),
  ]

  @Test(arguments: watches.indices) func `a connection that rests`(index: Int) {
    let (what, state, backlog, wanted, mustBeRead) = Self.watches[index]
    #expect(state.wanted(backlog) == wanted, "\(what)")
    #expect(state.mustBeRead(backlog) == mustBeRead, "\(what)")
    #expect(!state.isOver(backlog), "\(what)")
  }

  @Test func `a connection is over once the peer has finished and has read everything`() {
    let finished = State(peer: .finished)
    #expect(finished.isOver(.empty))
    #expect(!finished.isOver(.some))
    #expect(!State(peer: .finished, wait: .reply(line: 1)).isOver(.empty))
    #expect(!State().isOver(.empty))
  }

  @Test(arguments: [
    State(wait: .turn), State(wait: .reply(line: 1)), State(isSubscribed: true), State(held: [1]), State(peer: .closed),
  ])
  func `a connection that waits, follows, holds lines or is closed is not idle`(state: State) {
    #expect(!state.isIdle)
    #expect(State().isIdle)
  }

  @Test func `the next request is carried out unless something is in its way`() {
    #expect(State().mayContinue(.some))
    #expect(!State().mayContinue(.full))
    #expect(!State(wait: .reply(line: 1)).mayContinue(.empty))
    #expect(!State(wait: .turn).mayContinue(.empty))
    #expect(!State(peer: .closed).mayContinue(.empty))
  }
}
