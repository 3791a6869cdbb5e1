import SoundTrigger

/// A JSON object that the daemon answered.
struct JSONReply {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The bytes, if they are a JSON object.
  static func object(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    // What is wrong with an object is found at its end.
    _ = try JSONReply(bytes).text("")
    return bytes
  }

  /// The member's content: a string's characters, anything else as it is written; `nil` if it is null or missing.
  func text(_ name: String) throws(Failure) -> [UInt8]? {
    var members = JSONMembers()
    do throws(JSONError) {
      while let member = try members.next(in: bytes.span) {
        var memberName: [UInt8] = []
        member.name.unescape(from: bytes.span, appendingTo: &memberName)
        guard memberName == Array(name.utf8) else { continue }
        if case .null = member.kind { return nil }
        var content: [UInt8] = []
        member.appendContent(from: bytes.span, to: &content)
        return content
      }
    } catch {
      throw Failure(.badData, "the daemon's answer is no JSON object: \(error)")
    }
    return nil
  }

  /// The member's content as text; `-` if it has none.
  func string(_ name: String) throws(Failure) -> String {
    try text(name).map { String(decoding: $0, as: UTF8.self) } ?? "-"
  }

  /// The member, which is an object itself.
  func object(_ name: String) throws(Failure) -> JSONReply { JSONReply(try text(name) ?? Array("{}".utf8)) }

  /// The objects of a JSON array.
  static func elements(of array: [UInt8]) throws(Failure) -> [JSONReply] {
    // Between the brackets, objects follow one another with commas; strings are skipped whole.
    var elements: [JSONReply] = []
    var depth = 0
    var start = 0
    var inString = false
    var isEscaped = false
    for (index, byte) in array.enumerated() {
      if inString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          inString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): inString = true
      case UInt8(ascii: "{"):
        if depth == 0 { start = index }
        depth += 1
      case UInt8(ascii: "}"):
        depth -= 1
        if depth == 0 { elements.append(JSONReply(Array(array[start...index]))) }
      default: break
      }
    }
    guard depth == 0, !inString, array.first == UInt8(ascii: "["), array.last == UInt8(ascii: "]") else {
      throw Failure(.badData, "the daemon's answer is no JSON array")
    }
    return elements
  }
}
