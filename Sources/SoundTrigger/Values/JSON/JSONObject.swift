/// A JSON object that soundd has written: a reply, or a line of the state file.
package struct JSONObject: Sendable {
  private var members: [String: [UInt8]] = [:]

  /// An object without members.
  package init() {}

  package init(_ bytes: [UInt8]) throws(JSONError) {
    var scanner = try JSONScanner(object: bytes.span)
    while let (name, value) = try scanner.nextMember(in: bytes.span) {
      if value.kind == .null { continue }
      members[String(decoding: name.content(in: bytes.span), as: UTF8.self)] = value.content(in: bytes.span)
    }
  }

  /// The objects of a JSON array.
  package static func array(_ bytes: [UInt8]) throws(JSONError) -> [JSONObject] {
    var objects: [JSONObject] = []
    for element in try elements(of: bytes) { objects.append(try JSONObject(element)) }
    return objects
  }

  /// The contents of an array's elements, each as that of a member. Leaves out null, as for members.
  private static func elements(of bytes: [UInt8]) throws(JSONError) -> [[UInt8]] {
    var scanner = JSONScanner()
    try scanner.openDocument(UInt8(ascii: "["), in: bytes.span)
    var elements: [[UInt8]] = []
    while try scanner.beginElement(in: bytes.span) {
      let value = try scanner.scanValue(in: bytes.span)
      if case .null = value.kind { continue }
      elements.append(value.content(in: bytes.span))
    }
    try scanner.expectEnd(in: bytes.span)
    return elements
  }

  /// The names of the members, sorted.
  package var names: [String] { members.keys.sorted() }

  /// The member's content: a string's characters, anything else as it is written; `nil` if it is null or missing.
  package subscript(_ name: String) -> [UInt8]? { members[name] }

  /// The same as text.
  package func text(_ name: String) -> String? { members[name].map { String(decoding: $0, as: UTF8.self) } }

  /// The member as a terminal may show it; `-` if it is null or missing.
  package func shown(_ name: String) -> String { text(name).map { Excerpt.escaping($0) } ?? "-" }

  /// The same of a member that is the name of a value or a trigger: without the escapes of a feed's names.
  package func shownName(_ name: String = "name") -> String {
    text(name).map { Excerpt.escaping(NameEscape.original($0)) } ?? "-"
  }

  /// The elements of a member that is an array, each as text, without null; none if it is anything else.
  package func texts(_ name: String) -> [String] {
    let elements = members[name].flatMap { try? Self.elements(of: $0) } ?? []
    return elements.map { String(decoding: $0, as: UTF8.self) }
  }

  package func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

  /// A member that is an object itself; one without members if it is anything else.
  package func object(_ name: String) -> JSONObject { members[name].flatMap { try? JSONObject($0) } ?? JSONObject() }
}
