import Glibc
import Testing

@testable import SoundTrigger

struct PriorityLadderTests {
  /// What the rungs answer.
  private func climb(
    wanted: Int = 10, limit: Int, kernel: [Int32], realtimeKit: Result<Int, RealtimeKitError>? = nil
  ) -> (steps: [PriorityLadder.Step], outcome: ThreadPriority?) {
    var ladder = PriorityLadder(priority: wanted, limit: limit)
    var kernel = kernel[...]
    var steps = [ladder.first]
    while let step = steps.last {
      switch step {
      case .askKernel: steps.append(ladder.kernelAnswered(kernel.popFirst() ?? EINVAL))
      case .askRealtimeKit:
        guard let realtimeKit else { return (steps, nil) }
        steps.append(ladder.realtimeKitAnswered(realtimeKit))
      case .rest(let outcome): return (steps, outcome)
      }
    }
    return (steps, nil)
  }

  @Test(arguments: [0, 5, 10, 99])
  func `what the kernel grants at once is taken, whatever the limit says`(limit: Int) {
    let (steps, outcome) = climb(limit: limit, kernel: [0])
    #expect(steps.count == 2)
    #expect(outcome == ThreadPriority(policy: .fifo, priority: 10, way: .kernel))
  }

  @Test func `a limit below what is wanted is made use of`() {
    let (steps, outcome) = climb(limit: 4, kernel: [EPERM, 0])
    #expect(steps.prefix(2) == [.askKernel(priority: 10), .askKernel(priority: 4)])
    #expect(outcome == ThreadPriority(policy: .fifo, priority: 4, way: .kernel))
  }

  @Test(arguments: [(0, [EPERM]), (10, [EPERM]), (99, [EPERM]), (4, [EPERM, EPERM]), (4, [EINVAL, EPERM])])
  func `RealtimeKit is asked for all that is wanted, after the kernel refused`(limit: Int, kernel: [Int32]) {
    let (steps, outcome) = climb(limit: limit, kernel: kernel, realtimeKit: .success(7))
    #expect(steps.dropLast().last == .askRealtimeKit(priority: 10))
    #expect(outcome == ThreadPriority(policy: .roundRobin, priority: 7, way: .rtkit))
  }

  @Test func `without any of them the reason names both refusals`() {
    let error = RealtimeKitError(.refused, "RealtimeKit refused: Operation not permitted")
    let refused = climb(limit: 0, kernel: [EPERM], realtimeKit: .failure(error)).outcome
    #expect(
      refused
        == ThreadPriority(
          policy: .other, priority: 0, way: .none, obstacle: .refused,
          reason: "RLIMIT_RTPRIO is 0; RealtimeKit refused: Operation not permitted"))
    let strange = climb(limit: 20, kernel: [ENOSYS], realtimeKit: .failure(error)).outcome
    #expect(strange?.reason.hasPrefix("the kernel refused it: Function not implemented; ") == true)
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

  @Test(arguments: [(true, ThreadPriority.Obstacle.overran), (false, .takenAway)])
  func `a thread that has lost its priority says how`(overran: Bool, obstacle: ThreadPriority.Obstacle) {
    let now = granted.observed(policy: .other, priority: 0, overran: overran)
    #expect(!now.isRealTime)
    #expect(now.way == .none)
    #expect(now.obstacle == obstacle)
    #expect(!now.reason.isEmpty)
  }

  @Test func `a thread that never had it keeps its reason`() {
    let refused = ThreadPriority(policy: .other, priority: 0, way: .none, obstacle: .silent, reason: "…")
    #expect(refused.observed(policy: .other, priority: 0, overran: true) == refused)
  }
}
