import Glibc
import SoundTrigger

/// Finds out for a command which paths may be touched: not those on a foreign mount that does not answer.
///
/// Each foreign mount is asked once, on a thread of its own and for at most a second (statvfs, which the kernel does not answer from memory).
final class AnsweringMounts {
  /// Knows the mounts that have answered.
  private var scope = MountScope([])
  private var silent: Set<String> = []

  /// Why an absolute path is unavailable; `nil` if it may be touched.
  func problem(of path: String) -> String? {
    while true {
      let new = (scope.plan(for: path).elsewhere ?? []).subtracting(scope.mounts)
      if new.isEmpty { return nil }
      for mount in new where !silent.contains(mount) && !answers(mount) { silent.insert(mount) }
      let dead = new.intersection(silent)
      if !dead.isEmpty { return "\(scope.description(of: dead)) does not answer" }
      scope = MountScope(scope.mounts.union(new))
    }
  }

  /// The same for a file that a command is to read: as a failure.
  func check(_ file: String, _ environment: SystemEnvironment) throws(Failure) {
    if let problem = problem(of: environment.absolute(file)) {
      throw Failure(.noInput, "cannot read \(file): \(problem)")
    }
  }

  /// The same as an obstacle to a value.
  func obstacle(to path: String) -> PathObstacle? {
    problem(of: path).map {
      PathObstacle(problem: $0, remedy: "start what serves it, or unmount it (umount -l)", isThere: true)
    }
  }

  private func answers(_ mount: String) -> Bool {
    let answer = BoundedCall.result {
      var status = statvfs()
      // Any answer will do.
      return statvfs(mount, &status) <= 0
    }
    return answer ?? false
  }
}
