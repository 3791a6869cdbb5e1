import Glibc
import Peers

/// One way to mix the voices, and how long it took in each round.
final class Candidate {
  let name: String
  /// Renders a block of `Bench.frames` frames as stereo float32.
  let render: (UnsafeMutablePointer<Float>) -> Void
  /// Nanoseconds of each round.
  private(set) var times: [Int64] = []

  init(_ name: String, render: @escaping (UnsafeMutablePointer<Float>) -> Void) {
    self.name = name
    self.render = render
  }

  /// Renders so many blocks and notes how long it took.
  func runRound(blocks: Int, into out: UnsafeMutablePointer<Float>) {
    let start = threadTime()
    for _ in 0..<blocks { render(out) }
    times.append(threadTime() - start)
  }

  /// The median of the rounds, in nanoseconds.
  var median: Double {
    let sorted = times.sorted()
    return sorted.isEmpty ? .nan : Double(sorted[sorted.count / 2])
  }

  /// The thread's own time: what else the machine does counts as little as it can.
  private func threadTime() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
