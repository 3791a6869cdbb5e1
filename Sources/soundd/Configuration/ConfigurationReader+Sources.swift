import SoundTrigger

/// Where the updates of a value come from.
extension ConfigurationReader {
  /// What the value reads of its path; `nil`: it has no path.
  func aspect(_ section: Section) -> FileAspect? {
    FileAspect.allCases.first { section.table[$0.rawValue] != nil }
  }

  /// Reads the one key of the source, and `poll`.
  mutating func readSource(_ section: Section, _ aspect: FileAspect?) -> ValueDeclaration.Source {
    let poll = duration("poll", of: section, in: ValueDeclaration.pollIntervals)
    let others = FileAspect.allCases.filter { $0 != aspect }.map(\.rawValue)
    if let base = item("of", of: section) {
      for other in FileAspect.allCases.map(\.rawValue) + ["poll"] { reportExclusion(of: other, with: "of", section) }
      return valueName(base).map { .derived(from: $0) } ?? .client
    }
    guard let aspect, let item = item(aspect.rawValue, of: section) else {
      if let poll = item("poll", of: section) { report("needs a 'file', 'lines', 'count' or 'exists' beside it", poll) }
      return .client
    }
    for other in others { reportExclusion(of: other, with: aspect.rawValue, section) }
    if aspect == .fifo { reportExclusion(of: "poll", with: aspect.rawValue, section) }
    if aspect == .count || aspect == .exists { reportNoTrimming(of: aspect, section) }
    guard let path = path(item, of: aspect) else { return .client }
    let isTimed = aspect != .fifo
    return .file(path: path, poll: isTimed ? poll ?? Self.pollUnlessNotified(path) : nil, aspect: aspect)
  }

  private mutating func path(_ item: Item, of aspect: FileAspect) -> String? {
    guard case .string(let text) = item.node.value else {
      reportType(item, expected: "a string")
      return nil
    }
    do throws(PathExpansion.Problem) {
      return aspect == .count || aspect == .exists ? try paths.entry(text) : try paths.file(text)
    } catch {
      report(error.message, item, suggestion: error.suggestion)
      return nil
    }
  }

  /// Reports a type that no content of the source can have.
  mutating func check(_ kind: ValueKind, of aspect: FileAspect, _ section: Section) {
    // What is extracted from a content may have any type.
    guard section.table["json"] == nil, section.table["match"] == nil, let item = item("type", of: section) else {
      return
    }
    switch (aspect, kind) {
    case (.count, .bool):
      report(
        "what 'count' tells is a number; whether there are any tells another value, with 'of' and 'above = 0'", item)
    case (.exists, .number): report("what 'exists' tells is true or false, and no number", item)
    default: break
    }
  }

  /// Reports named pipes that more than one value would read, because each line of a pipe reaches only one reader.
  mutating func reportSharedPipes(_ values: [ReadValue]) {
    var readers: [String: ValueName] = [:]
    for value in values {
      guard let section = value.section, case .file(let path, _, .fifo)? = value.declaration?.source else { continue }
      if let first = readers[path], let item = item("fifo", of: section) {
        report("'\(first)' reads this named pipe, and a line of it goes to one reader alone (of = \"\(first)\"?)", item)
      } else {
        readers[path] = value.name
      }
    }
  }

  private mutating func reportExclusion(of key: String, with other: String, _ section: Section) {
    if let item = item(key, of: section) { report("'\(key)' and '\(other)' exclude each other", item) }
  }

  private mutating func reportNoTrimming(of aspect: FileAspect, _ section: Section) {
    if let trim = item("trim", of: section) { report("has no effect on what '\(aspect.rawValue)' tells", trim) }
  }

  /// inotify reports nothing in these trees, because the kernel generates their files when they are read.
  private static func pollUnlessNotified(_ path: String) -> Duration? {
    path.hasPrefix("/sys/") || path.hasPrefix("/proc/") ? ValueDeclaration.defaultPoll : nil
  }
}

extension FileAspect {
  /// The type of its contents, unless the configuration gives one.
  var kind: ValueKind {
    switch self {
    case .content, .lines, .fifo: .text
    case .count: .number
    case .exists: .bool
    }
  }
}
