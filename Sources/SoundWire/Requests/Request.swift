package import SoundTrigger

/// The request in a line from the socket or from standard input.
///
/// Ranges count bytes of that line.
///
/// A line with a valid name directly before its first `=` is an assignment, even if the name is a command: `list=1` sets a
/// value. In any other line the first word is a command.
package enum Request: Equatable {
  /// `NAME=VALUE`. The value may have any bytes.
  case assignment(name: Range<Int>, value: Range<Int>)
  /// A JSON object that is not parsed yet: the line from its first brace on.
  case object(Range<Int>)
  case get(String)
  case list
  case status
  case explain(String)
  /// What triggers did in the last days.
  case report
  case sync
  case play(String)
  case stop(StopTarget)
  /// `trigger` is `nil` if the request is about everything, also in the next two cases.
  case mute(MuteChange, trigger: String?)
  case unmute(trigger: String?)
  case volume(VolumeChange, trigger: String?)
  /// With a time, the profile that was chosen before holds again after it.
  case profile(Profile, for: Duration?)
  /// Every alarm that is not normal; `all`: every alarm.
  case alarms(all: Bool)
  /// Rings an alarm for some seconds, without changing its life.
  case testAlarm(String)
  /// Acknowledges an alarm, or with `nil` all that sound; with an occurrence, only that one.
  case acknowledge(String?, AlarmOccurrence?)
  /// Silences an alarm, or with `nil` all that sound.
  case snooze(String?, for: Duration)
  case unsnooze(String)
  case reload
  /// At least one name.
  case unset([String])
  /// `events [--state] [--why] [NAME …]`. Without names the client follows everything.
  case events([String], withState: Bool, withVerdicts: Bool)
  /// An empty line or a comment.
  case blank

  /// The longest line of the socket, of standard input and of a feed, in bytes without its end.
  @inlinable
  @inline(__always)
  package static var longestLine: Int { 65_536 }

  /// Parses a line without its end, as `LineReader` passes it; `nil` if the line was too long.
  ///
  /// The only parser of lines: the socket, standard input and timelines use it. Parsing an assignment allocates nothing.
  package init(_ line: Span<UInt8>?) throws(RequestRefusal) {
    guard let line else { throw .lineTooLong }
    // A program may begin its output with one. The first byte spares most lines the call, which takes 15 instructions.
    var start = !line.isEmpty && line[0] == 0xef ? ByteOrderMark.length(in: line) : 0
    while start < line.count, Self.isBlank(line[start]) { start += 1 }
    guard start < line.count else {
      self = .blank
      return
    }
    switch line[start] {
    case UInt8(ascii: "#"): self = .blank
    case UInt8(ascii: "{"): self = .object(start..<line.count)
    default:
      if let assignment = try Self.assignment(in: line, from: start) {
        self = assignment
      } else {
        self = try Self.command(in: line, from: start)
      }
    }
  }

  package static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  @inline(__always)
  private static func assignment(in line: Span<UInt8>, from start: Int) throws(RequestRefusal) -> Request? {
    let end = start + ValueName.length(in: line, from: start)
    guard end > start, end < line.count, line[end] == UInt8(ascii: "=") else { return nil }
    // Beneath the prefix of a feed a name may be longer than others; the store knows whether this one is.
    if end - start > ValueName.maximumFedLength { throw .nameTooLong }
    return .assignment(name: start..<end, value: end + 1..<line.count)
  }

  private static func command(in line: Span<UInt8>, from start: Int) throws(RequestRefusal) -> Request {
    let decoded = line.extracting(start..<line.count).withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
    guard let text = decoded else { throw .notUTF8 }
    let words = Words(text)
    switch words.command {
    case "get": return .get(try name(try words.argument("NAME")))
    case "list": return try words.alone(.list)
    case "status": return try words.alone(.status)
    case "explain": return .explain(try words.argument("TRIGGER"))
    case "report": return try words.alone(.report)
    case "sync": return try words.alone(.sync)
    case "play": return .play(try words.argument("SOUND"))
    case "stop": return .stop(words.rest == "--all" ? .everything : try words.trigger().map { .trigger($0) } ?? .sounds)
    case "mute":
      let (text, trigger) = try parts(words.rest, of: words.command)
      return .mute(try MuteChange(text), trigger: trigger)
    case "unmute":
      let (text, trigger) = try parts(words.rest, of: words.command)
      if !text.isEmpty { throw .unexpectedArgument(command: words.command) }
      return .unmute(trigger: trigger)
    case "volume":
      let (text, trigger) = try parts(words.rest, of: words.command)
      if text.isEmpty { throw .missingArgument(command: words.command, "LEVEL") }
      return .volume(try VolumeChange(text), trigger: trigger)
    case "profile": return try profile(words)
    case "reload": return try words.alone(.reload)
    case "unset": return .unset(try names(words.argument("NAME").split(whereSeparator: Words.isBlank)))
    case "events":
      var parts = words.rest.split(whereSeparator: Words.isBlank)
      var options: Set<Substring> = []
      while let option = parts.first, option == "--state" || option == "--why" { options.insert(parts.removeFirst()) }
      return .events(
        try names(parts), withState: options.contains("--state"), withVerdicts: options.contains("--why"))
    case "alarms": return try alarms(words)
    case "ack":
      var words = words
      let occurrence = try occurrence(&words)
      return .acknowledge(try words.trigger(), occurrence)
    case "snooze":
      var words = words
      let time = try words.removeOption("for", "DURATION")
      let duration = time.map { SnoozeTime.duration($0) } ?? SnoozeTime.usual
      guard let duration else { throw .badSnooze(time ?? "") }
      return .snooze(try words.trigger(), for: duration)
    case "unsnooze": return .unsnooze(try words.argument("TRIGGER"))
    default:
      if let equals = text.firstIndex(of: "=") { throw .badName(String(text[..<equals])) }
      throw .unknownCommand(words.command)
    }
  }

  private static func occurrence(_ words: inout Words) throws(RequestRefusal) -> AlarmOccurrence? {
    if let text = try words.removeOption("id", "N") {
      guard let number = Int64(text), number > 0 else { throw .badOccurrence(text) }
      return .id(number)
    }
    guard let text = try words.removeOption("since", "TIME") else { return nil }
    guard let time = Timestamp(text) else { throw .badOccurrence(text) }
    return .since(time)
  }

  private static func profile(_ words: Words) throws(RequestRefusal) -> Request {
    let name = try words.argument("NAME")
    let parts = words.rest.split(maxSplits: 1, whereSeparator: Words.isBlank)
    guard let profile = Profile(rawValue: String(parts[0])) else { throw .badProfile(name) }
    if parts.count == 1 { return .profile(profile, for: nil) }
    let time = String(parts[1].drop(while: Words.isBlank))
    guard let duration = DurationText.duration(time), duration > .zero else { throw .badTime(time) }
    return .profile(profile, for: duration)
  }

  private static func alarms(_ words: Words) throws(RequestRefusal) -> Request {
    if words.rest == "--all" { return .alarms(all: true) }
    guard words.rest.hasPrefix("--test ") || words.rest == "--test" else {
      return try words.alone(.alarms(all: false))
    }
    let name = words.rest.dropFirst("--test".count).drop(while: Words.isBlank)
    if name.isEmpty { throw .missingArgument(command: "alarms --test", "TRIGGER") }
    return .testAlarm(String(name))
  }

  /// Splits off `trigger=NAME`, which comes last because a trigger's name may contain blanks.
  private static func parts(
    _ text: Substring, of command: String
  ) throws(RequestRefusal) -> (text: String, trigger: String?) {
    let mark = "trigger="
    var words = text.split(whereSeparator: Words.isBlank)
    guard let first = words.firstIndex(where: { $0.hasPrefix(mark) }) else {
      return (words.joined(separator: " "), nil)
    }
    let name = text[words[first].startIndex...].dropFirst(mark.count)
    if name.isEmpty { throw .emptyTrigger(command: command) }
    words.removeSubrange(first...)
    return (words.joined(separator: " "), String(name))
  }

  private static func name(_ text: String) throws(RequestRefusal) -> String {
    if ValueName(text) == nil { throw .badName(text) }
    return text
  }

  private static func names(_ words: [Substring]) throws(RequestRefusal) -> [String] {
    try words.map { word throws(RequestRefusal) in try name(String(word)) }
  }
}

/// A command and what follows it, without the blanks around it.
private struct Words {
  package let command: String
  package private(set) var rest: Substring
  private let text: String

  package init(_ text: String) {
    let words = text.split(maxSplits: 1, whereSeparator: Self.isBlank)
    command = words.first.map(String.init) ?? ""
    rest = words.count > 1 ? words[1] : ""
    while let last = rest.last, Self.isBlank(last) { rest.removeLast() }
    rest = rest.drop(while: Self.isBlank)
    self.text = text
  }

  /// Whether the line ended with a blank.
  private var endsWithBlank: Bool { text.last.map(Self.isBlank) ?? false }

  package static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

  package func argument(_ what: String) throws(RequestRefusal) -> String {
    if rest.isEmpty { throw .missingArgument(command: command, what) }
    return String(rest)
  }

  package func alone(_ request: Request) throws(RequestRefusal) -> Request {
    if !rest.isEmpty { throw .unexpectedArgument(command: command) }
    return request
  }

  /// The name of a trigger; `nil` if there is none.
  package func trigger() throws(RequestRefusal) -> String? {
    // `stop $TRIGGER` with an empty variable must not stop everything.
    if rest.isEmpty, endsWithBlank { throw .emptyTrigger(command: command) }
    return rest.isEmpty ? nil : String(rest)
  }

  /// Removes `NAME=…`, a word that comes first, and returns what is behind the sign; `nil` if there is none.
  package mutating func removeOption(_ name: String, _ what: String) throws(RequestRefusal) -> String? {
    guard rest.hasPrefix(name + "=") else { return nil }
    let text = rest.dropFirst(name.count + 1).prefix { !Self.isBlank($0) }
    if text.isEmpty { throw .missingArgument(command: "\(command) \(name)=", what) }
    rest = rest[text.endIndex...].drop(while: Self.isBlank)
    return String(text)
  }
}

/// An occurrence of an alarm: a later one is another alarm for the person who has seen this one.
package enum AlarmOccurrence: Equatable, Sendable {
  /// Its number.
  case id(Int64)
  /// When it became active.
  case since(Timestamp)
}

/// What `stop` ends.
package enum StopTarget: Equatable, Sendable {
  /// The sounds of a trigger. If it is an alarm, it is acknowledged.
  case trigger(String)
  /// All sounds but those of alarms.
  case sounds
  /// All sounds. Alarms are acknowledged.
  case everything

  /// Whether it ends the sounds of a trigger. `nil`: a sound by hand.
  package func includes(_ name: String?, isAlarm: Bool) -> Bool {
    switch self {
    case .trigger(let trigger): name == trigger || name?.ruleName == trigger
    case .sounds: !isAlarm
    case .everything: true
    }
  }
}

/// Why a line is not a request.
///
/// The description is the reply to the client.
package enum RequestRefusal: Error, Equatable, CustomStringConvertible {
  /// The line is longer than `longestLine`.
  case lineTooLong
  /// A command that is not UTF-8.
  case notUTF8
  case unknownCommand(String)
  case badName(String)
  case nameTooLong
  case missingArgument(command: String, String)
  case unexpectedArgument(command: String)
  /// `stop` and a blank, or `trigger=`, without a name.
  case emptyTrigger(command: String)
  case badLevel(String)
  case tooLoud(String)
  case badStep(String)
  case badMute(String)
  case badProfile(String)
  case badTime(String)
  case badSnooze(String)
  case badOccurrence(String)

  package var code: ReplyCode {
    switch self {
    case .lineTooLong: .tooLong
    case .unknownCommand: .unknownRequest
    case .notUTF8, .badName, .nameTooLong, .missingArgument, .unexpectedArgument, .emptyTrigger, .badLevel, .tooLoud,
      .badStep,
      .badMute, .badProfile, .badTime, .badSnooze, .badOccurrence:
      .invalid
    }
  }

  package var description: String {
    switch self {
    case .lineTooLong: "the line is longer than \(Request.longestLine) bytes and was skipped"
    case .notUTF8: "a command must be UTF-8"
    case .unknownCommand(let word):
      "\(Excerpt.quoting(word)) is neither NAME=VALUE nor a command (get, list, status, explain, report, sync, events, play, "
        + "stop, volume, mute, unmute, profile, unset, reload, alarms, ack, snooze, unsnooze)"
    case .badName(let name):
      name.isEmpty
        ? "there is no name before '='"
        : "\(Excerpt.quoting(name)) is not a name: letters, digits and '_', then also '.', '/', ':', '-' and escapes "
          + "such as '%20', at most \(ValueName.maximumLength) bytes"
    case .nameTooLong: "the name is longer than \(ValueName.maximumLength) bytes"
    case .missingArgument(let command, let what): "'\(command)' needs an argument: \(command) \(what)"
    case .unexpectedArgument(let command): "'\(command)' takes no argument"
    case .emptyTrigger(let command) where ["stop", "ack", "snooze"].contains(command):
      "'\(command)' and a blank need a trigger's name; '\(command)' alone, without a blank, "
        + (command == "stop" ? "stops all sounds but alarms" : "is about all alarms that sound")
    case .emptyTrigger(let command):
      "'trigger=' needs a trigger's name; '\(command)' without it is about everything"
    case .badLevel(let text):
      "expected \(VolumeText.expected), or up or down, found \(Excerpt.quoting(text))"
        + Suggestion.question(VolumeText.suggestion(for: text) ?? Suggestion.nearest(to: text, among: ["up", "down"]))
    case .tooLoud(let text):
      "\(Excerpt.quoting(text)) is too loud: 0 dB, a factor of 1, is the most"
        + Suggestion.question(VolumeChange.suggestion(for: text))
    case .badStep(let text):
      "expected a step of at most 40 dB, such as \"3 dB\", found \(Excerpt.quoting(text))"
        + Suggestion.question((try? VolumeChange("up \(text) dB")).map { _ in "\(text) dB" })
    case .badMute(let text):
      "expected toggle, a time such as \"30 min\" or \"1 day\", or \"until 10:00\", found \(Excerpt.quoting(text))"
        + Suggestion.question(MuteChange.suggestion(for: text))
    case .badTime(let text):
      "expected a time such as \"30 min\" or \"1 day\", found \(Excerpt.quoting(text))"
        + Suggestion.question(DurationText.suggestion(for: text))
    case .badSnooze(let text):
      "expected a time of more than 0 and at most 24 h without blanks, such as for=10min, found \(Excerpt.quoting(text))"
        + Suggestion.question(SnoozeTime.suggestion(for: text).map { "for=" + $0.filter { $0 != " " } })
    case .badOccurrence(let text):
      "expected the id of an alarm (id=17) or its time as replies write it (since=2026-01-31T08:15:00.250000Z), found "
        + Excerpt.quoting(text)
    case .badProfile(let text):
      "expected one of \(Profile.allCases.map(\.rawValue).joined(separator: ", ")), found \(Excerpt.quoting(text))"
        + Suggestion.question(Suggestion.nearest(to: text, among: Profile.allCases.map(\.rawValue)))
    }
  }
}
