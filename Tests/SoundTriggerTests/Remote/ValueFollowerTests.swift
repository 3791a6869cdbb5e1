import Testing

@testable import SoundTrigger

@Suite struct ValueFollowerTests {
  @Test func `a feed that waits for an hour ends as soon as nobody follows`() async throws {
    let (attempts, continuation) = AsyncStream.makeStream(of: String?.self)
    let follower = ValueFollower("a")
    follower.setOnChange { continuation.yield($1.problem) }
    let attempt = Object()
    weak let thread = attempt
    ValueFeed.follow(follower, at: "/nowhere/one", backoff: ConnectionBackoff(pause: .seconds(3600))) {
      [attempt = consume attempt] () throws(RemoteError) in
      _ = attempt
      throw .unavailable("nobody is there")
    }
    var problems = attempts.makeAsyncIterator()
    #expect(await problems.next() == "nobody is there")
    // A further follower learns it at once.
    let second = ValueFollower("b")
    second.setOnChange { continuation.yield($1.problem) }
    ValueFeed.follow(second, at: "/nowhere/one") { () throws(RemoteError) in throw .unavailable("not asked") }
    while second.state.problem == nil { await Task.yield() }
    #expect(second.state.problem == "nobody is there")
    ValueFeed.leave(follower, at: "/nowhere/one")
    ValueFeed.leave(second, at: "/nowhere/one")
    // The thread keeps the feed.
    while thread != nil { await Task.yield() }
  }

  private final class Object: Sendable {}

  @Test func `a stream whose consumer has left is forgotten`() async throws {
    let follower = ValueFollower("a")
    let stream = follower.makeStream()
    #expect(follower.streamCount == 1)
    let task = Task { for await _ in stream {} }
    task.cancel()
    await task.value
    #expect(follower.streamCount == 0)
  }
}
