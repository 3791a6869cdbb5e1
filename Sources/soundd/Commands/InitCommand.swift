import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd init`: a first configuration.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a first configuration, and say how to start the service.",
    discussion: """
      It writes $XDG_CONFIG_HOME/soundd/config.toml, or the file of --config,
      and names the recipes that this machine has a use for,
      such as battery, mail and git, with the command that adds them.
      It changes no file of another program.

      If there is a configuration already, it stays as it is,
      and the exit code is 77.
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
    let shelf = try RecipeShelf(file, environment: environment)
    try write(Array(schemaLine(environment).utf8) + BuiltInRecipes.first, to: file, environment.absolute(file))
    // The value `build-status` has its file there. If it cannot be made, `check` says so.
    if let cache = environment.path(of: .cache) { try? makeFolder(cache, mode: 0o700) }
    try StandardStreams.print("\(file) is written.")
    let hasService = hasService(environment)
    var lines = [
      "", "Start soundd\(hasService ? ", now and at every login" : ""):", "", "  \(startCommand(hasService))",
    ]
    lines += ["", "Then hear it:", "", "  soundd set hello=world"]
    let fitting = shelf.recipes.filter { shelf.fits($0) && !shelf.isOn($0) }.map(\.name)
    if !fitting.isEmpty {
      let option = self.file.map { " --config \(Excerpt.shellWord(path: $0))" } ?? ""
      lines += ["", "This machine has a use for these recipes. To add them, or only some:", ""]
      lines += ["  soundd add \(fitting.joined(separator: " "))\(option)"]
    }
    try StandardStreams.print((lines + ["", "More to hear: soundd recipes"]).joined(separator: "\n"))
  }

  /// Names the schema to editors that use Taplo, if it is installed.
  private func schemaLine(_ environment: SystemEnvironment) -> String {
    let schema = environment.installationPrefix.map { FilePathText.join($0, "share/soundd/config.schema.json") }
    return schema.flatMap { access($0, R_OK) == 0 ? "#:schema \($0)\n" : nil } ?? ""
  }

  /// Writes a new file whole or not at all, readable by all, and makes its folder.
  private func write(_ bytes: [UInt8], to file: String, _ path: String) throws(Failure) {
    if let problem = AnsweringMounts().problem(of: path) {
      throw Failure(.inputOutput, "cannot write \(file): \(problem)")
    }
    var status = stat()
    // A dangling link is a configuration of the user, too.
    if lstat(path, &status) == 0 {
      let command = "mv \(Excerpt.shellWord(path)) \(Excerpt.shellWord(path + ".old"))"
      throw Failure(
        .refused,
        "\(file) exists already, and stays as it is: 'soundd check' checks it; to begin anew, move it away "
          + "(\(command))")
    }
    StateFile(path: path).removeRemains()
    do throws(SystemError) {
      try StateFile(path: path).write(bytes, mode: 0o644)
    } catch {
      throw Failure(.inputOutput, "cannot write \(file): \(error.reason)")
    }
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
