import Glibc
import Testing

@testable import SoundTrigger

struct RealtimePromotionTests {
  /// Asks for a priority of 10; `kernel` are the errnos that the kernel answers with, one after the other. Returns what both
  /// were asked for, too.
  private func promote(
    limit: Int, kernel: [Int32], realtimeKit: Result<Int, RealtimePromotion.Refusal>? = nil
  ) -> (outcome: ThreadPriority, asked: [String]) {
    var answers = kernel[...]
    var asked: [String] = []
    let outcome = RealtimePromotion.ask(
      10, limit: limit,
      kernel: {
        asked.append("kernel \($0)")
        return answers.popFirst() ?? EINVAL
      },
      realtimeKit: { (priority) throws(RealtimePromotion.Refusal) in
        asked.append("rtkit \(priority)")
        return try (realtimeKit ?? .failure(RealtimePromotion.Refusal(problem: .failed, reason: "?"))).get()
      })
    return (outcome, asked)
  }

  @Test(arguments: [0, 5, 10, 99])
  func `what the kernel grants at once is taken, whatever the limit says`(limit: Int) {
    let (outcome, asked) = promote(limit: limit, kernel: [0])
    #expect(asked == ["kernel 10"])
    #expect(outcome == ThreadPriority(policy: .fifo, priority: 10, way: .kernel))
  }

  @Test func `a limit below what is wanted is used`() {
    let (outcome, asked) = promote(limit: 4, kernel: [EPERM, 0])
    #expect(asked == ["kernel 10", "kernel 4"])
    #expect(outcome == ThreadPriority(policy: .fifo, priority: 4, way: .kernel))
  }

  @Test(arguments: [(0, [EPERM]), (10, [EPERM]), (99, [EPERM]), (4, [EPERM, EPERM]), (4, [EINVAL, EPERM])])
  func `RealtimeKit is asked for all that is wanted, after the kernel refused`(limit: Int, kernel: [Int32]) {
    let (outcome, asked) = promote(limit: limit, kernel: kernel, realtimeKit: .success(7))
    #expect(asked.count == kernel.count + 1)
    #expect(asked.last == "rtkit 10")
    #expect(outcome == ThreadPriority(policy: .roundRobin, priority: 7, way: .rtkit))
  }

  @Test func `without any of them the reason names both refusals`() {
    let error = RealtimePromotion.Refusal(
      problem: .refused, reason: "RealtimeKit refused: Operation not permitted")
    let refused = promote(limit: 0, kernel: [EPERM], realtimeKit: .failure(error)).outcome
    #expect(
      refused
        == ThreadPriority(
          policy: .other, priority: 0, way: .none, problem: .refused,
          reason: "RLIMIT_RTPRIO is 0; RealtimeKit refused: Operation not permitted"))
    let strange = promote(limit: 20, kernel: [ENOSYS], realtimeKit: .failure(error)).outcome
    #expect(strange.reason.hasPrefix("the kernel refused it: Function not implemented; "))
  }

  // MARK: Afterwards

  private let granted = ThreadPriority(policy: .fifo, priority: 10, way: .kernel)

  @Test func `what the kernel says of a thread is believed`() {
    #expect(granted.observed(policy: .fifo, priority: 10, overran: false) == granted)
    // RealtimeKit gives whichever policy it was started with.
    let kit = ThreadPriority(policy: .roundRobin, priority: 10, way: .rtkit)
    #expect(
      kit.observed(policy: .fifo, priority: 5, overran: true) == ThreadPriority(policy: .fifo, priority: 5, way: .rtkit)
    )
  }

  @Test(arguments: [(true, ThreadPriority.Problem.overran), (false, .takenAway)])
  func `a thread that has lost its priority says how`(overran: Bool, problem: ThreadPriority.Problem) {
    let now = granted.observed(policy: .other, priority: 0, overran: overran)
    #expect(!now.isRealTime)
    #expect(now.way == .none)
    #expect(now.problem == problem)
    #expect(!now.reason.isEmpty)
  }

  @Test func `a thread that never had it keeps its reason`() {
    let refused = ThreadPriority(policy: .other, priority: 0, way: .none, problem: .silent, reason: "…")
    #expect(refused.observed(policy: .other, priority: 0, overran: true) == refused)
  }
}
