package import SoundTrigger

/// A kind of file: one message per line, under one checksum. The first line names the kind, the version and the SHA-256 of all
/// other lines:
///
///     {"soundd_state":4,"sha256":"60303ae2…"}
package struct Record: Sendable {
  /// Why bytes are not such a file.
  package enum Problem: Error, Equatable, CustomStringConvertible {
    /// It is not what was once written.
    case damaged
    /// A later version of soundd wrote it.
    case newer(version: Int, known: Int)

    package var description: String {
      switch self {
      case .damaged: "is damaged (its checksum is wrong)"
      case .newer(let version, let known): "is of a newer soundd (version \(version), and this one knows \(known))"
      }
    }
  }

  /// The member of the first line that names the kind.
  let kind: StaticString
  /// What is written, and all that is read.
  let version: Int
  let versions: ClosedRange<Int>

  /// `oldest`: the first version that is still read, `version` unless set.
  package init(kind: StaticString, version: Int, oldest: Int? = nil) {
    (self.kind, self.version, versions) = (kind, version, (oldest ?? version)...version)
  }

  // MARK: Writing

  /// A message as a line, with its line feed.
  package static func line(_ message: some Message) -> [UInt8] { message.json + [UInt8(ascii: "\n")] }

  /// The whole file of lines, each with its line feed.
  package func file(_ body: [UInt8]) -> [UInt8] { head(of: body, version) + body }

  package func file(_ lines: [any Message]) -> [UInt8] { file(lines.flatMap { Self.line($0) }) }

  private func head(of body: [UInt8], _ version: Int) -> [UInt8] {
    var (version, digest) = (version, SHA256.text(of: body))
    return JSONWriter.object { line in
      line(kind, &version)
      line("sha256", &digest)
    } + [UInt8(ascii: "\n")]
  }

  // MARK: Reading

  /// Whether the first line names this kind. A file without is damaged, or from a time when it was not a record.
  package func isNamed(in bytes: [UInt8]) -> Bool {
    version(in: bytes.prefix { $0 != UInt8(ascii: "\n") }) != nil
  }

  /// The lines after the first of a file.
  package func lines(of bytes: [UInt8]) throws(Problem) -> [Line] {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let head = lines.first, lines.count > 1, let found = version(in: head) else { throw .damaged }
    // The version means the same in all versions to come.
    if found > version { throw .newer(version: found, known: version) }
    guard versions.contains(found),
      self.head(of: Array(bytes[(head.endIndex + 1)...]), found) == Array(bytes[...head.endIndex])
    else { throw .damaged }
    return try Self.messages(lines.dropFirst().dropLast())
  }

  /// The lines of a file that has no checksum, because an early version wrote it.
  package static func uncheckedLines(of bytes: [UInt8]) throws(Problem) -> [Line] {
    try messages(bytes.split(separator: UInt8(ascii: "\n")))
  }

  private static func messages(_ lines: some Sequence<ArraySlice<UInt8>>) throws(Problem) -> [Line] {
    var messages: [Line] = []
    for line in lines {
      do throws(MessageError) { messages.append(try Line(Array(line))) } catch { throw .damaged }
    }
    return messages
  }

  private func version(in head: ArraySlice<UInt8>) -> Int? {
    guard var reader = try? Line(Array(head)).reader else { return nil }
    var version: Int?
    reader(kind, &version)
    return version
  }
}

extension Record {
  /// A line of a file: an object that was checked, and is one of the messages of the file.
  package struct Line {
    fileprivate let reader: MessageReader

    package init(_ bytes: [UInt8]) throws(MessageError) {
      reader = try MessageReader(try JSONDocument(message: bytes))
    }

    /// The line as a message; `nil` if it is another one, or malformed.
    package func message<Content: Message>(_ type: Content.Type = Content.self) -> Content? {
      try? Content.read(reader)
    }
  }
}
