import Glibc
import SoundTrigger

/// The program git: what it knows, and its settings, which only it writes.
struct GitProgram {
  /// Of the program.
  let path: String
  private(set) var environment: SystemEnvironment

  /// The output of git without its last line break, or `nil` if git fails.
  func ask(_ arguments: [String], in folder: String? = nil) -> String? {
    guard let answer = environment.answer(of: command(arguments, in: folder)), answer.status == 0 else { return nil }
    return answer.text.hasSuffix("\n") ? String(answer.text.dropLast()) : answer.text
  }

  /// Lets git do something. `harmless` is an exit status that says that it was done before.
  func run(_ arguments: [String], in folder: String? = nil, harmless: Int32 = 0) throws(Failure) {
    let words = (["git"] + arguments).map { Excerpt.shellWord($0) }.joined(separator: " ")
    guard let answer = environment.answer(of: command(arguments, in: folder), withErrors: true) else {
      throw Failure(.unavailable, "git has not answered for 10 s: \(words)")
    }
    if answer.status == 0 || answer.status == harmless { return }
    let reason = answer.text.split(separator: "\n").first.map(String.init) ?? "exit status \(answer.status)"
    throw Failure(.inputOutput, "\(words): \(reason)")
  }

  /// The variables that name a repository, and count more than the folder in which git runs.
  private static let repositoryVariables: Set = [
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
  ]

  init(path: String, environment: SystemEnvironment) {
    self.path = path
    self.environment = environment
    self.environment.variables = environment.variables.filter { !Self.repositoryVariables.contains($0.key) }
  }

  /// Why a folder is in no repository that git uses, in git's words.
  func failure(in folder: String) -> Failure {
    let answer = environment.answer(of: command(["rev-parse", "--git-dir"], in: folder), withErrors: true)
    let reason = answer?.text.split(separator: "\n").first.map { ": \($0)" } ?? ""
    return Failure(.noInput, "\(folder) is not in a git repository that this user can use\(reason)")
  }

  private func command(_ arguments: [String], in folder: String?) -> [String] {
    [path] + (folder.map { ["-C", $0] } ?? []) + arguments
  }

  // MARK: Settings

  /// Whether git runs hooks that its settings name, as 2.54 does. `git hook list` answers with 1 if there are none.
  var hasHooksInSettings: Bool {
    // A git without `git hook` ends with 1 as well.
    guard let version = ask(["version"])?.split(separator: " ").dropFirst(2).first else { return false }
    let numbers = version.split(separator: ".").prefix(2).compactMap { Int($0) }
    if numbers.lexicographicallyPrecedes([2, 54]) { return false }
    // In `/`, because a repository may have settings of its own.
    let answer = environment.answer(of: command(["hook", "list", "post-commit"], in: "/"))
    return answer.map { $0.status == 0 || $0.status == 1 } ?? false
  }

  /// The file of the settings for all repositories (git-config(1), FILES).
  var globalFile: String? {
    if let file = environment.variable("GIT_CONFIG_GLOBAL"), !file.isEmpty { return environment.absolute(file) }
    guard let home = environment.home.map({ FilePathText.join($0, ".gitconfig") }) else { return nil }
    let other = environment.path(of: .config).map { FilePathText.join($0, "git/config") }
    if access(home, F_OK) < 0, let other, access(other, F_OK) == 0 { return other }
    return home
  }

  /// The settings in a file, which may be missing: for each name its last value, which counts.
  func settings(in file: String) throws(Failure) -> [String: String] {
    if access(file, F_OK) < 0 { return [:] }
    guard let answer = ask(["config", "--file", file, "--null", "--list"]) else {
      throw Failure(.inputOutput, "git cannot read \(file); nothing was changed")
    }
    return answer.split(separator: "\0").reduce(into: [:]) { settings, entry in
      let parts = entry.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      settings[parts[0]] = parts.count > 1 ? parts[1] : "true"
    }
  }

  /// Does one of the actions that are git's.
  func perform(_ action: RecipePlan.Action) throws(Failure) {
    switch action {
    case .set(let name, let value, let file): try run(["config", "--file", file, "--replace-all", name, value])
    case .removeSection(let section, let file):
      // 128: there is no such section.
      try run(["config", "--file", file, "--remove-section", section], harmless: 128)
    case .unset(let name, let value, let file):
      // 5: there is no such setting.
      try run(["config", "--file", file, "--unset-all", name, "^\(Self.escaped(value))$"], harmless: 5)
    case .makeFolder, .write, .remove, .removeFolder, .removeEmptyFile: break
    }
  }

  /// A text that stands for itself in a POSIX regular expression.
  private static func escaped(_ text: String) -> String {
    String(text.flatMap { #".[]{}()*+?^$|\"#.contains($0) ? ["\\", $0] : [$0] })
  }

  // MARK: Repositories

  /// The absolute path of the folder of a repository's hooks; `nil` if the folder is not in a repository.
  ///
  /// `ignored` is a value of `core.hooksPath` that does not count.
  func hooks(in folder: String, besides ignored: [String]) -> String? {
    guard let answer = ask(["rev-parse", "--git-path", "hooks"], in: folder) else { return nil }
    let hooks = Self.resolved(FilePathText.join(folder, answer))
    if !ignored.map(Self.resolved).contains(hooks) { return hooks }
    return ask(["rev-parse", "--git-common-dir"], in: folder).map {
      Self.resolved(FilePathText.join(folder, $0)) + "/hooks"
    }
  }

  /// The path without links and `..`, which leads there whatever becomes of the folder in which git was asked. The last folder may
  /// be missing.
  private static func resolved(_ path: String) -> String {
    func real(_ path: String) -> String? {
      guard let text = realpath(path, nil) else { return nil }
      defer { free(text) }
      return String(cString: text)
    }
    return real(path)
      ?? real(FilePathText.folder(of: path)).map { FilePathText.join($0, FilePathText.name(of: path)) } ?? path
  }

  /// The owner of a folder of hooks, and the file in which the owner is asked to run something.
  struct Owner {
    var reason: String
    /// For one event; the hook itself if it is `nil`.
    var place: (String) -> String?
  }

  /// The program that writes a folder of hooks, or the repository that tracks it; `nil` if a hook may be added.
  func owner(of hooks: String, in folder: String) -> Owner? {
    var status = stat()
    if stat(hooks, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
      return Owner(reason: "\(hooks) is not a folder (core.hooksPath)") { _ in nil }
    }
    if hooks.split(separator: "/").contains(".husky") {
      // husky replaces the folder `_`; the hooks of the user are above it.
      let own = FilePathText.name(of: hooks) == "_" ? FilePathText.folder(of: hooks) : hooks
      return Owner(reason: "husky writes it") { FilePathText.join(own, $0) }
    }
    if let top = ask(["rev-parse", "--show-toplevel"], in: folder) {
      let names = ["lefthook", ".lefthook"].flatMap { name in
        ["yml", "yaml", "toml", "json"].map { FilePathText.join(top, "\(name).\($0)") }
      }
      if let file = names.first(where: { access($0, F_OK) == 0 }) {
        return Owner(reason: "lefthook writes it") { _ in file }
      }
    }
    // Of a repository in which this folder is, be it this one or that of the user's settings.
    if access(hooks, F_OK) == 0, let tracked = ask(["ls-files", "-z", "."], in: hooks), !tracked.isEmpty {
      return Owner(reason: "its folder is tracked by git") { _ in nil }
    }
    return nil
  }

  /// Why a line at the end of a hook would not run, or would change what others run; `nil` if it may be added.
  static func obstacle(_ hook: RecipePlan.Entry) -> String? {
    guard case .file(let bytes, let mode) = hook else {
      if case .other(let problem) = hook { return problem }
      return nil
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      line.split(whereSeparator: \.isWhitespace).map(String.init)
    }.filter { !$0.isEmpty }
    guard let first = lines.first else { return nil }
    let interpreter = first.last { !$0.hasPrefix("-") }.map { FilePathText.name(of: $0) } ?? ""
    if !first[0].hasPrefix("#!") || !["sh", "bash", "dash", "ksh", "zsh"].contains(interpreter) {
      return "it is not a shell script"
    }
    if mode & 0o100 == 0 { return "it is not executable, so git does not run it (chmod +x)" }
    if lines.last?.last?.hasSuffix("\\") == true { return "its last line ends with a backslash" }
    for manager in ["lefthook", "husky"] where lines.contains(where: { $0.contains { $0.contains(manager) } }) {
      return "\(manager) writes it"
    }
    // With a redirection alone, the shell goes on.
    let isEnd = { (words: [String]) in words[0] == "exec" && words.count > 1 && !words[1].contains { "<>".contains($0) }
    }
    if lines.contains(where: isEnd) { return "it has an 'exec', before which the line must be" }
    if lines.last(where: { !$0[0].hasPrefix("#") })?[0] == "exit" {
      return "it ends with 'exit', before which the line must be"
    }
    return nil
  }
}
