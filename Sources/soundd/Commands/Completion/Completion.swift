import Glibc
import SoundTrigger
import SoundWire

/// What the shells' completion scripts run: `soundd __complete WORD…`, the words up to the cursor.
///
/// The first line that it prints says what the shell does next: `words`, `beginnings` of words (no space follows), or
/// `files` with the extensions that fit. The other lines are what fits, each with a tab and a description. A script chooses
/// those that begin as the word does, because shells do that in different ways.
struct Completion: Equatable {
  struct Candidate: Equatable {
    var text: String
    var about = ""
  }

  static let command = "__complete"
  /// How long the daemon may take: the user waits at the keyboard.
  private static let patience = Duration.milliseconds(500)

  /// The first line.
  var kind = "words"
  var candidates: [Candidate] = []

  /// The text for the script; what has a control character is left out, because it would end a line.
  var text: String {
    let harmless = candidates.filter { $0.text.unicodeScalars.allSatisfy(Excerpt.isHarmless) }
    return ([kind] + harmless.map { "\($0.text)\t\(Excerpt.escaping($0.about))" }).joined(separator: "\n")
  }

  static func run(_ words: [String]) throws {
    try StandardStreams.print(Completion(CompletionRequest(words, try CommandSyntax.all())).text)
  }

  init(_ request: CompletionRequest) {
    switch request.subject {
    case .nothing: break
    case .commands:
      candidates = ((try? CommandSyntax.all()) ?? []).dropFirst().map { Candidate(text: $0.name, about: $0.about) }
    case .options:
      candidates = request.openOptions.flatMap { option in
        option.names.map { Candidate(text: $0, about: option.about) }
      }
    case .words(let words): candidates = words.map { Candidate(text: $0) }
    case .values: candidates = Self.values(request).map { Candidate(text: $0.name, about: Self.about($0)) }
    case .assignments: completeAssignment(request)
    case .triggers: candidates = Self.triggers(request)
    case .alarms(false): candidates = Self.alarms(request) { _ in true }
    case .alarms(true): candidates = Self.alarms(request) { $0.life != .normal }
    case .snoozedAlarms: candidates = Self.alarms(request, \.isSnoozed)
    case .sounds where request.word.contains("/") || request.word.hasPrefix("~"):
      kind = (["files"] + SoundLocator.extensions).joined(separator: " ")
    case .sounds: candidates = Self.sounds(request)
    case .recipes: candidates = BuiltInRecipes.all.map { Candidate(text: $0.name, about: $0.about) }
    case .installedRecipes:
      let abouts = Dictionary(BuiltInRecipes.all.map { ($0.name, $0.about) }) { first, _ in first }
      let names = (try? RecipeShelf.ledger(.current()))?.recipes ?? []
      candidates = names.map { Candidate(text: $0, about: abouts[$0] ?? "") }
    case .files(let extensions): kind = (["files"] + extensions).joined(separator: " ")
    }
    let given = Set(request.positionals)
    candidates = candidates.filter { !given.contains($0.text) }
    for index in candidates.indices { candidates[index].text = request.prefix + candidates[index].text }
  }

  /// `NAME=` of every value that clients set, then the words of a bool.
  private mutating func completeAssignment(_ request: CompletionRequest) {
    let values = Self.values(request).filter { $0.source == "socket" }
    guard let equals = request.word.firstIndex(of: "=") else {
      kind = "beginnings"
      candidates = values.map { Candidate(text: $0.name + "=", about: Self.about($0)) }
      return
    }
    let name = String(request.word[..<equals])
    guard values.contains(where: { $0.name == name && $0.type == ValueKind.bool.rawValue }) else { return }
    candidates = ["true", "false"].map { Candidate(text: "\(name)=\($0)") }
  }

  private static func about(_ value: ValueMessage) -> String {
    let content = value.value.map { Excerpt.escaping($0.text) } ?? "-"
    return "\(value.type) " + (content.count > 40 ? content.prefix(39) + "…" : content)
  }

  // MARK: The running daemon

  /// The daemon; `nil` without one: then nothing fits, and a message would disturb the command line.
  private static func daemon(_ request: CompletionRequest) -> DaemonConnection? {
    let variable = { (name: String) in getenv(name).map { String(cString: $0) } }
    guard let path = try? SocketPath.resolve(option: request.options["--socket"], environment: variable) else {
      return nil
    }
    return try? DaemonConnection(path: path, timeout: patience)
  }

  private static func values(_ request: CompletionRequest) -> [ValueMessage] {
    (try? daemon(request)?.ask("list", for: [ValueMessage].self)) ?? []
  }

  private static func status(_ request: CompletionRequest) -> StatusMessage? {
    try? daemon(request)?.ask("status", for: StatusMessage.self)
  }

  private static func triggers(_ request: CompletionRequest) -> [Candidate] {
    (status(request)?.triggers ?? []).map { Candidate(text: $0.name, about: $0.state.text) }
  }

  private static func alarms(_ request: CompletionRequest, _ isWanted: (AlarmMessage) -> Bool) -> [Candidate] {
    let alarms = (try? daemon(request)?.ask("alarms --all", for: [AlarmMessage].self)) ?? []
    return alarms.filter(isWanted).map { Candidate(text: $0.name, about: $0.state.text) }
  }

  /// The names of all sounds that lie where the daemon looks sounds up; without a daemon, where the command itself would.
  private static func sounds(_ request: CompletionRequest) -> [Candidate] {
    let file = status(request)?.configuration
    let locator = SystemEnvironment.current().soundLocator(configurationFile: file)
    return Set(locator.availableNames).sorted().map { Candidate(text: $0) }
  }
}
