/// A JSON object that soundd has written: a reply, or a line of the state file.
package struct JSONObject: Sendable {
  private var members: [String: [UInt8]] = [:]

  /// An object without members.
  package init() {}

  package init(_ bytes: [UInt8]) throws(JSONError) {
    var reader = JSONMembers()
    while let member = try reader.next(in: bytes.span) {
      if case .null = member.kind { continue }
      var (name, content): ([UInt8], [UInt8]) = ([], [])
      member.name.unescape(from: bytes.span, appendingTo: &name)
      member.appendContent(from: bytes.span, to: &content)
      members[String(decoding: name, as: UTF8.self)] = content
    }
  }

  /// The objects of a JSON array.
  package static func array(_ bytes: [UInt8]) throws(JSONError) -> [JSONObject] {
    var objects: [JSONObject] = []
    try JSONScanner.forEachElement(of: bytes.span) { (range) throws(JSONError) in
      objects.append(try JSONObject(Array(bytes[range])))
    }
    return objects
  }

  /// The member's content: a string's characters, anything else as it is written; `nil` if it is null or missing.
  package subscript(_ name: String) -> [UInt8]? { members[name] }

  /// The same as text.
  package func text(_ name: String) -> String? { members[name].map { String(decoding: $0, as: UTF8.self) } }

  /// The member as a terminal may show it; `-` if it is null or missing.
  package func shown(_ name: String) -> String { text(name).map { Excerpt.escaping($0) } ?? "-" }

  /// The elements of a member that is an array, each as text; none if it is anything else.
  package func texts(_ name: String) -> [String] {
    guard let array = members[name] else { return [] }
    var texts: [String] = []
    do throws(JSONError) {
      try JSONScanner.forEachElement(of: array.span) { (range) throws(JSONError) in
        // An element alone is no object, so each becomes a member of one.
        let object = try JSONObject(Array(#"{"element":"#.utf8) + array[range] + [UInt8(ascii: "}")])
        if let text = object.text("element") { texts.append(text) }
      }
    } catch {
      return []
    }
    return texts
  }

  package func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

  /// A member that is an object itself; one without members if it is anything else.
  package func object(_ name: String) -> JSONObject { members[name].flatMap { try? JSONObject($0) } ?? JSONObject() }
}
