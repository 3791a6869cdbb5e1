import Foundation

extension Program {
  /// How often all of its threads have gone to sleep of their own accord.
  func wakeUps() throws -> Int { try Self.wakeUps(of: pid) }

  /// The same of any process.
  static func wakeUps(of pid: pid_t) throws -> Int {
    var total = 0
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
      let status = try String(contentsOfFile: "/proc/\(pid)/task/\(thread)/status", encoding: .utf8)
      for line in status.split(separator: "\n") where line.hasPrefix("voluntary_ctxt_switches:") {
        total += Int(line.split(separator: "\t").last ?? "") ?? 0
      }
    }
    return total
  }

  /// Waits until nothing has woken up for so many seconds; returns the count from then on.
  @discardableResult
  func waitForRest(seconds: Double = 0.5) throws -> Int {
    var before = 0
    try eventually("nothing has woken up for \(seconds) s") {
      before = try wakeUps()
      poll(nil, 0, Int32(seconds * 1000))
      return try wakeUps() - before <= (Self.hasTickingThread ? Int(seconds * Self.ticks) : 0)
    }
    return before
  }

  /// More than that thread ticks in a second: ten times.
  private static let ticks = 20.0

  /// ThreadSanitizer has a thread of its own in every program, which ticks.
  static let hasTickingThread = dlsym(nil, "__tsan_init") != nil
}
