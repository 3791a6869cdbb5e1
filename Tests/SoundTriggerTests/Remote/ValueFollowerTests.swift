import Testing

@testable import SoundTrigger

@Suite struct ValueFollowerTests {
  @Test func `a follower that waits for an hour ends at once`() async throws {
    let (attempts, continuation) = AsyncStream.makeStream(of: String?.self)
    var follower: ValueFollower? = ValueFollower("a", backoff: ConnectionBackoff(pause: .seconds(3600))) {
      () throws(RemoteError) in throw .unavailable("nobody is there")
    }
    weak let thread = follower
    follower?.start { continuation.yield($1.problem) }
    var problems = attempts.makeAsyncIterator()
    #expect(await problems.next() == "nobody is there")
    follower?.stop()
    follower = nil
    // The thread keeps the follower.
    while thread != nil { await Task.yield() }
  }

  @Test func `a stream whose consumer has left is forgotten`() async throws {
    let follower = ValueFollower("a") { () throws(RemoteError) in throw .unavailable("") }
    let stream = follower.makeStream()
    #expect(follower.streamCount == 1)
    let task = Task { for await _ in stream {} }
    task.cancel()
    await task.value
    #expect(follower.streamCount == 0)
  }
}
