import SoundTrigger
import Testing

@testable import soundd

/// When a card is given up for a sound server.
struct ServerSearchTests {
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  @Test func `a device that no server plays is looked at once after its opening`() {
    var search = ServerSearch()
    search.opened(mayMove: false, at: at(0))
    #expect(search.next == nil)
    search.opened(mayMove: true, at: at(0))
    #expect(search.next == at(2))
    let isFound1 = search.look(listens: false, at: at(2))
    #expect(!isFound1)
    #expect(search.next == nil, "no server listens")
  }

  @Test func `a device that does not lead to the server that listens is opened again four times, ever more seldom`() {
    var search = ServerSearch()
    for pause in [2.0, 4, 8, 16] {
      search.opened(mayMove: true, at: at(100))
      #expect(search.next == at(100 + pause))
      let isFound = search.look(listens: true, at: at(100 + pause))
      #expect(isFound)
    }
    search.opened(mayMove: true, at: at(200))
    #expect(search.next == nil)
    search.socketChanged(at: at(300))
    #expect(search.next == at(300.2), "a server has started")
  }

  @Test func `a socket that appears is looked at until a server listens, for ten seconds`() {
    var search = ServerSearch()
    search.opened(mayMove: true, at: at(0))
    search.socketChanged(at: at(1))
    #expect(search.next == at(1.2))
    let isFound3 = search.look(listens: false, at: at(1.2))
    #expect(!isFound3)
    #expect(search.next == at(1.4))
    let isFound4 = search.look(listens: true, at: at(1.4))
    #expect(isFound4)
    #expect(search.next == nil)
    search.socketChanged(at: at(5))
    var time = at(5)
    while let next = search.next {
      time = next
      let isFound5 = search.look(listens: false, at: next)
      #expect(!isFound5)
    }
    #expect(time == at(15))
  }

  @Test func `a device that is gone has no next look`() {
    var search = ServerSearch()
    search.opened(mayMove: true, at: at(0))
    search.closed()
    #expect(search.next == nil)
  }
}
