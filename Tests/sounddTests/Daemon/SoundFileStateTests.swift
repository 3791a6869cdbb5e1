import Glibc
import SoundTrigger
import Testing

@testable import soundd

@Suite struct SoundFileStateTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func event(_ state: inout SoundFileState, _ mask: Int32, isBroken: Bool = false, at time: Int64) -> Bool {
    state.changed(UInt32(mask), isBroken: isBroken, at: at(time))
  }

  private func advance(_ state: inout SoundFileState, to time: Int64) -> Bool { state.advance(to: at(time)) }

  private func foundBad(_ state: inout SoundFileState, at time: Int64) -> Bool { state.foundBad(at: at(time)) }

  @Test(arguments: [IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE])
  func `what is closed, renamed or removed is looked at at once`(mask: Int32) {
    var state = SoundFileState()
    #expect(event(&state, mask, at: 0))
    #expect(state.deadline == nil)
  }

  @Test func `a file that is being written is looked at when its writer has closed it`() {
    var state = SoundFileState()
    #expect(!event(&state, IN_CREATE, at: 0))
    for time in stride(from: Int64(0), to: 5000, by: 100) { #expect(!event(&state, IN_MODIFY, at: time)) }
    #expect(!advance(&state, to: 5000))
    #expect(event(&state, IN_CLOSE_WRITE, at: 5000))
    #expect(state.deadline == nil)
  }

  @Test func `a writer that does not close the file is waited for half a second`() {
    var state = SoundFileState()
    _ = event(&state, IN_MODIFY, at: 0)
    _ = event(&state, IN_MODIFY, at: 300)
    #expect(state.deadline == at(800))
    #expect(!advance(&state, to: 799))
    #expect(advance(&state, to: 800))
    #expect(state.deadline == nil)
  }

  @Test func `a link, which nobody ever closes, is looked at soon after it was made`() {
    var state = SoundFileState()
    #expect(!event(&state, IN_CREATE, at: 0))
    #expect(state.deadline == at(50))
    #expect(advance(&state, to: 50))
  }

  @Test func `a failure is believed when it has lasted for half a second`() {
    var state = SoundFileState()
    #expect(event(&state, IN_DELETE, at: 0))
    #expect(!foundBad(&state, at: 10))
    #expect(state.deadline == at(510))
    #expect(!advance(&state, to: 509))
    #expect(advance(&state, to: 510))
    // While the last look is under way there is nothing to wait for.
    #expect(state.deadline == nil)
    #expect(foundBad(&state, at: 511))
    #expect(state.deadline == nil)
  }

  @Test func `a file that is removed and written anew never fails`() {
    var state = SoundFileState()
    #expect(event(&state, IN_DELETE, at: 0))
    #expect(!foundBad(&state, at: 1))
    #expect(!event(&state, IN_CREATE, at: 400))
    #expect(!event(&state, IN_MODIFY, at: 410))
    #expect(!advance(&state, to: 800))
    #expect(event(&state, IN_CLOSE_WRITE, at: 850))
    state.foundGood()
    #expect(state.deadline == nil)
  }

  @Test func `what happens during the last look begins the doubt anew`() {
    var state = SoundFileState()
    #expect(event(&state, IN_DELETE, at: 0))
    #expect(!foundBad(&state, at: 1))
    #expect(advance(&state, to: 501))
    #expect(event(&state, IN_CLOSE_WRITE, at: 502))
    #expect(!foundBad(&state, at: 503))
    #expect(state.deadline == at(1003))
  }

  @Test func `new permissions matter to a file that cannot be read, and to no other`() {
    var state = SoundFileState()
    #expect(!event(&state, IN_ATTRIB, at: 0))
    #expect(event(&state, IN_ATTRIB, isBroken: true, at: 0))
  }
}
