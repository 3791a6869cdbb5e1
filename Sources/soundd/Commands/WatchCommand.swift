import ArgumentParser
import Glibc
import Logging
import SoundTrigger

/// `soundd watch`: one value, one sound, no configuration.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Play a sound whenever a value changes, without a configuration.",
    discussion: """
      Every line of standard input is the value, or with --file the content of a file.
      The first line, or the content of the file at the start, is no change:
      it is silent unless you give --initial or --loop.
      With --type event every line is a change.
      If the file is missing at the start, the command says so and waits;
      then its first content is a change.
      The options are the keys of a trigger in a configuration.
      Write times as '250 ms', '2 s', '5 min' or '1 h'.

      Some keys need a configuration:
      cancel, pick, sounds, initial = "if-changed" and when = "stale".
      """)

  @Argument(help: "The name or the path of a sound.")
  var sound: String
  @Option(help: ArgumentHelp("Watch the content of a file instead of standard input.", valueName: "path"))
  var file: String?
  @Option(help: ArgumentHelp("The ALSA device, or 'none'.", valueName: "name"))
  var device = "default"
  @Option(help: "text, number, bool, json or event (default: number if a condition needs one, else text).")
  var type: ValueKind?
  @Option(help: "change, increase or decrease.")
  var when = TriggerDefinition.Direction.change
  // A negative number is a value, not an option.
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Only if the value was this; repeat it for several.", valueName: "value"))
  var from: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Only if the value becomes this; repeat it for several.", valueName: "value"))
  var to: [String] = []
  @Option(parsing: .unconditional, help: ArgumentHelp("When the number rises above this.", valueName: "number"))
  var above: Double?
  @Option(parsing: .unconditional, help: ArgumentHelp("When the number falls below this.", valueName: "number"))
  var below: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How far the number must go back before it can fire again.", valueName: "number"))
  var hysteresis: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only if the new value matches this regular expression (PCRE2).", valueName: "regex"))
  var matches: String?
  @Flag(help: "Play for the first content, too.")
  var initial = false
  @Option(
    help: ArgumentHelp("Play when the value has been still for this long.", valueName: "time"),
    transform: OptionText.duration)
  var debounce: Duration?
  @Option(
    help: ArgumentHelp("Play this long after the change, unless its condition ends earlier.", valueName: "time"),
    transform: OptionText.duration)
  var delay: Duration?
  @Option(
    help: ArgumentHelp("Play at most once in this time.", valueName: "time"),
    transform: OptionText.duration)
  var throttle: Duration?
  @Option(help: "mix, restart, ignore or queue: what to do while the last sound still plays.")
  var overlap = TriggerDefinition.Overlap.mix
  @Flag(help: "Sound until --to, --above, --below or --matches no longer holds, or --loop-limit is over.")
  var loop = false
  @Option(
    help: ArgumentHelp("With --loop: repeat at this interval, not without a gap.", valueName: "time"),
    transform: OptionText.duration)
  var loopEvery: Duration?
  @Option(
    help: ArgumentHelp("With --loop: give up after this long.", valueName: "time"),
    transform: OptionText.duration)
  var loopLimit: Duration?
  @Option(
    help: ArgumentHelp("Skip a sound that cannot start within this time (default: 500 ms).", valueName: "time"),
    transform: OptionText.duration)
  var fresh: Duration?
  @OptionGroup var playOptions: PlaySettingsOptions
  @OptionGroup var logOptions: LogOptions

  func validate() throws {
    for (option, time) in [("--loop-every", loopEvery), ("--loop-limit", loopLimit)] where time != nil && !loop {
      throw ValidationError("\(option) needs --loop")
    }
    if loop, to.isEmpty, above == nil, below == nil, matches == nil {
      throw ValidationError("--loop needs --to, --above, --below or --matches: a condition that ends")
    }
  }

  func run() throws {
    let environment = SystemEnvironment.current()
    environment.setMediaRole()
    let name = ValueName(literal: "value")
    let kind = type ?? (above != nil || below != nil || when != .change ? .number : .text)
    var configuration = Configuration()
    configuration.output.device = device
    let source: ValueDeclaration.Source = file.map { .file(path: environment.absolute($0), poll: nil) } ?? .client
    configuration.values = [ValueDeclaration(name: name, kind: kind, trim: true, source: source)]
    let definition = try makeDefinition(name, kind)
    configuration.triggers = [
      TriggerDeclaration(definition: definition, location: TOMLLocation(line: 1, column: 1), soundLocations: [:])
    ]
    try checkSound(environment)
    let log = logOptions.makeLogger()
    if let file { Self.noteAbsence(environment.absolute(file), log) }
    try Daemon.run(
      DaemonPlan(
        environment: environment, configuration: configuration, input: file == nil ? .value(name.description) : .none,
        needsDevice: true),
      log: log, atEnd: noteSingleLine)
  }

  /// Says that the file is missing, because the path may be misspelt.
  private static func noteAbsence(_ path: String, _ log: Logger) {
    // The daemon says it if the file system does not answer.
    if AnsweringMounts().problem(of: path) != nil { return }
    if access(path, F_OK) == 0 { return }
    let isMissing = errno == ENOENT || errno == ENOTDIR
    var check = PathCheck()
    // Anything else, such as what is there and denied, is an error, which the feeder reports.
    guard let problem = check.problem(of: path, .content) else {
      if isMissing { log.notice("waiting for \(path), which does not exist yet") }
      return
    }
    if !problem.isThere { log.warning("waiting for \(path): \(problem)") }
  }

  /// Says why nothing was heard if only one line came.
  private func noteSingleLine(_ daemon: Daemon) {
    let values = daemon.pipeline.store.ids.map { daemon.pipeline.store.snapshot(of: $0) }
    guard file == nil, !initial, !loop, let value = values.first, value.kind != .event else { return }
    guard value.updates == 1, value.refusals == 0 else { return }
    StandardStreams.show(
      "a single line came, which is no change: it is where the value begins (--initial plays it, too)", priority: 5)
  }

  private func makeDefinition(_ name: ValueName, _ kind: ValueKind) throws(Failure) -> TriggerDefinition {
    var threshold: Threshold?
    if above != nil || below != nil || hysteresis != nil {
      threshold = Threshold(above: above, below: below, hysteresis: hysteresis ?? 0)
    }
    var definition = TriggerDefinition(
      name: name.description, values: [name], sound: .sound(sound),
      when: when, from: try contents("from", from, kind), to: try contents("to", to, kind),
      threshold: threshold, matches: try pattern(), debounce: debounce,
      throttle: throttle, delay: delay, overlap: overlap,
      loop: loop ? .init(every: loopEvery.map { [$0] } ?? [], limit: loopLimit) : nil, settings: playOptions.settings)
    definition.initial = definition.initial(wish: initial ? .yes : nil)
    definition.timing.fresh = fresh ?? definition.timing.fresh
    let problems = definition.problems(watching: [WatchedValue(name, kind)])
    if !problems.isEmpty {
      throw Failure(.usage, problems.map(\.optionDescription).joined(separator: "\n"))
    }
    return definition
  }

  private func pattern() throws(Failure) -> Pattern? {
    guard let matches else { return nil }
    if matches.isEmpty { throw Failure(.usage, "--matches: the expression is empty and would match everything") }
    do throws(Pattern.Problem) {
      return try Pattern(matches)
    } catch {
      throw Failure(.usage, "--matches: \(error.description(of: matches))")
    }
  }

  private func contents(_ option: String, _ texts: [String], _ kind: ValueKind) throws(Failure) -> [Value] {
    var values: [Value] = []
    for text in texts {
      guard let value = typedValue(text, kind: kind) else {
        throw Failure(.usage, "--\(option): '\(text)' is not a \(kind.rawValue)")
      }
      values.append(value)
    }
    return values
  }

  /// A sound that cannot be played is an error here, because the command plays no other.
  private func checkSound(_ environment: SystemEnvironment) throws(SoundError) {
    let locator = environment.soundLocator(configurationFile: nil)
    let mounts = AnsweringMounts()
    let search = locator.search(sound, refusal: mounts.problem)
    _ = try ClipLoader(rate: 48_000).load(path: try search.path.get())
  }
}

extension ValueKind: ExpressibleByArgument {}
extension TriggerDefinition.Overlap: ExpressibleByArgument {}

extension TriggerDefinition.Direction: ExpressibleByArgument {
  /// Staleness needs a configuration, which says how often updates are expected.
  package static let allValueStrings = allCases.filter { $0 != .stale }.map(\.rawValue)

  package init?(argument: String) {
    if !Self.allValueStrings.contains(argument) { return nil }
    self.init(rawValue: argument)
  }
}
