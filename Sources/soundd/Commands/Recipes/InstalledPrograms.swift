import Glibc
import SoundTrigger

/// The programs that this user can run. A folder of settings does not show that its program is there.
struct InstalledPrograms {
  /// Where programs may be, the best place first.
  let folders: [String]
  private let mounts: AnsweringMounts

  /// Where installers put programs of a single user, below the home. A service and a hook may have a PATH without them.
  private static let ownFolders = [
    ".local/bin", "bin", ".claude/local", ".opencode/bin", ".bun/bin", ".npm-global/bin", ".cargo/bin",
  ]

  init(_ environment: SystemEnvironment, _ mounts: AnsweringMounts) {
    let path = environment.variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
    let own = environment.home.map { home in Self.ownFolders.map { FilePathText.join(home, $0) } } ?? []
    folders = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") } + own
    self.mounts = mounts
  }

  /// The path of a program; `nil` if it is not installed.
  func path(of name: String) -> String? {
    folders.lazy.map { FilePathText.join($0, name) }.first { path in
      var status = stat()
      return mounts.problem(of: path) == nil && access(path, X_OK) == 0 && stat(path, &status) == 0
        && status.st_mode & S_IFMT == S_IFREG
    }
  }
}
