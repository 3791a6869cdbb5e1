import CLinux
import Glibc
import SoundTrigger

/// Finds out which paths may be touched: not those on a foreign mount that does not answer.
///
/// Each foreign mount is asked once, on a thread of its own and for at most a second (statvfs, which the kernel does not answer from
/// memory). A mount that has not answered is not asked again before it does, so at most one thread waits for it.
final class AnsweringMounts {
  /// Since when mounts have been asked that have not answered yet, by CLOCK_MONOTONIC.
  private static let asked = Guarded<[String: Instant]>([:])
  /// Knows the mounts that have answered.
  private var scope = MountScope([])
  private var silent: Set<String> = []

  /// Why an absolute path is unavailable; `nil` if it may be touched.
  func problem(of path: String) -> String? {
    while true {
      let new = (scope.plan(for: path).elsewhere ?? []).subtracting(scope.mounts)
      if new.isEmpty { return nil }
      for mount in new where !silent.contains(mount) && !Self.answers(mount) { silent.insert(mount) }
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

  /// The same for a configuration with its parts.
  func check(configuration file: String, _ environment: SystemEnvironment) throws(Failure) {
    for path in [file, ConfigurationFile.folder(of: file)] { try check(path, environment) }
    for part in (try? ConfigurationFile.parts(of: file)) ?? [] { try check(part, environment) }
  }

  /// The same for the path of a value.
  func pathProblem(of path: String) -> PathProblem? {
    problem(of: path).map {
      PathProblem(finding: $0, remedy: "start what serves it, or unmount it (umount -l)", isThere: true)
    }
  }

  private static func answers(_ mount: String) -> Bool {
    let now = Instant(nanoseconds: clinux_monotonic())
    let isSilent = asked.withLock { asked in
      if let since = asked[mount], since.duration(to: now) > BoundedCall.patience { return true }
      asked[mount] = asked[mount] ?? now
      return false
    }
    if isSilent { return false }
    let answer = BoundedCall.result {
      var status = statvfs()
      // Any answer will do.
      let answers = statvfs(mount, &status) <= 0
      asked.withLock { $0[mount] = nil }
      return answers
    }
    return answer ?? false
  }
}
