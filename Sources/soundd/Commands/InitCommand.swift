import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd init`: a first configuration.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a first configuration, and say how to start the service.",
    discussion: """
      It writes $XDG_CONFIG_HOME/soundd/config.toml, or the file of --config,
      and adds the recipes that this machine has a use for,
      such as battery, mail and git, as 'soundd add' does.
      'soundd recipes' lists all, 'soundd remove NAME' takes one out again.

      It never changes a file that exists; then the exit code is 77.
      """)

  @Option(
    name: .customLong("config"),
    help: ArgumentHelp("The file to write (default: $XDG_CONFIG_HOME/soundd/config.toml).", valueName: "file"))
  var file: String?

  func run() throws {
    let environment = SystemEnvironment.current()
    guard let file = file ?? environment.path(of: .config).map({ FilePathText.join($0, "soundd/config.toml") }) else {
      throw Failure(.noInput, "no place for a configuration file is known: set HOME, or give one with --config FILE")
    }
    let first = try ConfigurationFile.text("\(try RecipeShelf.examples(environment))/first.toml").bytes
    try write(schemaLine(environment) + String(decoding: first, as: UTF8.self), to: file)
    // The value `build-status` has its file there. If it cannot be made, `check` says so.
    if let cache = environment.path(of: .cache) { try? makeFolder(cache, mode: 0o700) }
    try StandardStreams.print("\(file) is written.")
    let shelf = try RecipeShelf(file, environment: environment)
    try shelf.lock()
    let fitting = shelf.recipes.filter(shelf.fits)
    // One that cannot be added hinders no other.
    for recipe in fitting {
      do throws(Failure) { try shelf.planAdding([recipe.name]).run() } catch {
        StandardStreams.show("'\(recipe.name)' is not added: \(error)", priority: 4)
      }
    }
    var lines = fitting.isEmpty ? [] : ["  on: \(fitting.filter(shelf.isOn).map(\.name).joined(separator: ", "))"]
    let hasService = hasService(environment)
    lines += ["", "Start soundd\(hasService ? ", now and at every login" : ""):", "", "  \(startCommand(hasService))"]
    lines += ["", "Then hear it:", "", "  soundd set hello=world", "", "More to hear: soundd recipes"]
    try StandardStreams.print(lines.joined(separator: "\n"))
  }

  /// Names the schema to editors that use Taplo, if it is installed.
  private func schemaLine(_ environment: SystemEnvironment) -> String {
    let schema = environment.installationPrefix.map { FilePathText.join($0, "share/soundd/config.schema.json") }
    return schema.flatMap { access($0, R_OK) == 0 ? "#:schema \($0)\n" : nil } ?? ""
  }

  /// Writes a new file whole or not at all, readable by all, and makes its folder.
  private func write(_ text: String, to file: String) throws(Failure) {
    func failure(_ code: Int32 = errno) -> Failure {
      Failure(.inputOutput, "cannot write \(file): \(SystemError.text(code))")
    }
    let environment = SystemEnvironment.current()
    if let problem = AnsweringMounts().problem(of: environment.absolute(file)) {
      throw Failure(.inputOutput, "cannot write \(file): \(problem)")
    }
    let folder = FilePathText.folder(of: environment.absolute(file))
    do throws(SystemError) { try makeFolder(folder, mode: 0o755) } catch { throw failure(error.code) }
    var status = stat()
    // A dangling link is a configuration of the user, too.
    if lstat(file, &status) == 0 { throw exists(file) }
    // Not the file's name and more, because that may be too long.
    var template = Array("\(folder)/.soundd-init-XXXXXX".utf8CString)
    let fd = mkstemp(&template)
    if fd < 0 { throw failure() }
    let draft = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(draft) }
    guard fchmod(fd, 0o644) == 0, StandardStreams.write(fd, Array(text.utf8)), fsync(fd) == 0 else {
      let problem = failure()
      close(fd)
      throw problem
    }
    if close(fd) != 0 || !Self.move(draft, toNew: file) { throw errno == EEXIST ? exists(file) : failure() }
  }

  /// Gives a file its name, which no other one may have; otherwise errno says why it could not (link, or open and rename).
  private static func move(_ draft: String, toNew file: String) -> Bool {
    if link(draft, file) == 0 { return true }
    if errno == EEXIST { return false }
    // Some file systems have no hard links. This reserves the name first.
    let fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    if fd < 0 { return false }
    close(fd)
    if rename(draft, file) == 0 { return true }
    let code = errno
    unlink(file)
    errno = code
    return false
  }

  private func exists(_ file: String) -> Failure {
    let path = SystemEnvironment.current().absolute(file)
    let command = "mv \(Excerpt.shellWord(path)) \(Excerpt.shellWord(path + ".old"))"
    return Failure(
      .refused,
      "\(file) exists already, and stays as it is: 'soundd check' checks it; to begin anew, move it away (\(command))")
  }

  // MARK: The service

  /// Whether this machine runs systemd (sd_booted(3)), and a unit of this program is installed. It reads the default file.
  private func hasService(_ environment: SystemEnvironment) -> Bool {
    guard file == nil, access("/run/systemd/system", F_OK) == 0, let prefix = environment.installationPrefix else {
      return false
    }
    let data = environment.path(of: .data).map { ["\($0)/systemd/user"] } ?? []
    let folders = data + ["\(prefix)/lib/systemd/user", "\(prefix)/share/systemd/user", "/etc/systemd/user"]
    return folders.contains { access("\($0)/soundd.service", F_OK) == 0 }
  }

  private func startCommand(_ hasService: Bool) -> String {
    if hasService { return "systemctl --user enable --now soundd.socket soundd.service" }
    return "soundd run" + (file.map { " --config \(Excerpt.shellWord(path: $0))" } ?? "") + " &"
  }
}
