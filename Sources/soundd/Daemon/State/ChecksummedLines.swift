import SoundTrigger

/// A file of lines of JSON whose first line names the kind, the version and the SHA-256 of all others:
///
///     {"soundd_state":3,"sha256":"60303ae2…"}
struct ChecksummedLines {
  /// Why bytes are not such a file.
  enum Problem: Error, Equatable, CustomStringConvertible {
    /// It is not what was once written.
    case damaged
    /// A later version of soundd wrote it.
    case newer(version: Int, known: Int)

    var description: String {
      switch self {
      case .damaged: "is damaged (its checksum is wrong)"
      case .newer(let version, let known): "is of a newer soundd (version \(version), and this one knows \(known))"
      }
    }
  }

  /// The member of the first line that names the kind.
  let kind: String
  let version: Int

  /// A line with these members.
  static func line(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    JSONWriter.object(members) + [UInt8(ascii: "\n")]
  }

  /// The whole file. `body` has lines, each with its line feed.
  func file(_ body: [UInt8]) -> [UInt8] { head(of: body) + body }

  /// The lines after the first of a file.
  func lines(of bytes: [UInt8]) throws(Problem) -> [JSONObject] {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let head = lines.first, lines.count > 1 else { throw .damaged }
    // The version means the same in all versions to come.
    if let found = (try? JSONObject(Array(head)))?.number(kind), found > version {
      throw .newer(version: found, known: version)
    }
    guard self.head(of: Array(bytes[(head.endIndex + 1)...])) == Array(bytes[...head.endIndex]) else { throw .damaged }
    var objects: [JSONObject] = []
    for line in lines.dropFirst().dropLast() {
      do throws(JSONError) { objects.append(try JSONObject(Array(line))) } catch { throw .damaged }
    }
    return objects
  }

  private func head(of body: [UInt8]) -> [UInt8] {
    Self.line { line in
      line.member(kind, version)
      line.member("sha256", Self.digest(body))
    }
  }

  /// The SHA-256 of bytes, in hexadecimal digits.
  static func digest(_ bytes: [UInt8]) -> String {
    var hash = SHA256()
    hash.update(bytes.span)
    return Hexadecimal.text(hash.finish())
  }
}
