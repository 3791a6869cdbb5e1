/// Writes JSON documents in a form in which documents that mean the same are the same bytes.
///
/// No white space; the keys of an object sorted by the bytes of their UTF-8; strings with the fewest escapes; numbers
/// as `JSONNumber` lays them out; of a repeated key the last member. The buffers are kept from document to document.
struct JSONCanonicalizer: Sendable {
  /// The canonical form of the last document.
  private(set) var result: [UInt8] = []
  /// The members of the objects that are open, the innermost last.
  private var members: [Member] = []
  /// The unescaped keys of these members, one after the other.
  private var keys: [UInt8] = []
  private var scratch: [UInt8] = []

  /// A key and where its member, key and all, was written.
  private struct Member {
    var key: Range<Int>
    var output: Range<Int>
  }

  /// Canonicalises one document, surrounded by white space at most, into `result`.
  mutating func canonicalize(_ bytes: Span<UInt8>) throws(JSONError) {
    result.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    var scanner = JSONScanner()
    scanner.skipWhiteSpace(in: bytes)
    try appendValue(in: bytes, &scanner)
    try scanner.expectEnd(in: bytes)
  }

  // Recursive, which the bounded depth makes safe.
  private mutating func appendValue(in bytes: Span<UInt8>, _ scanner: inout JSONScanner) throws(JSONError) {
    let start = scanner.position
    switch try scanner.classify(in: bytes) {
    case .string: append(try scanner.scanString(in: bytes), of: bytes)
    case .number: try scanner.scanNumber(in: bytes).appendCanonical(from: bytes, to: &result)
    case .boolean, .null:
      try scanner.scanValue(in: bytes)
      result.append(bytes.extracting(start..<scanner.position))
    case .object:
      try scanner.open()
      try appendObject(in: bytes, &scanner)
    case .array:
      try scanner.open()
      try appendArray(in: bytes, &scanner)
    }
  }

  private mutating func appendArray(in bytes: Span<UInt8>, _ scanner: inout JSONScanner) throws(JSONError) {
    result.append(UInt8(ascii: "["))
    let start = result.count
    while try scanner.beginElement(in: bytes) {
      if result.count > start { result.append(UInt8(ascii: ",")) }
      try appendValue(in: bytes, &scanner)
    }
    result.append(UInt8(ascii: "]"))
  }

  private mutating func appendObject(in bytes: Span<UInt8>, _ scanner: inout JSONScanner) throws(JSONError) {
    let firstMember = members.count
    let firstKey = keys.count
    result.append(UInt8(ascii: "{"))
    let start = result.count
    while let key = try scanner.beginKey(in: bytes) {
      let keyStart = keys.count
      key.unescape(from: bytes, appendingTo: &keys)
      let keyRange = keyStart..<keys.count
      let outputStart = result.count
      append(key, of: bytes)
      result.append(UInt8(ascii: ":"))
      try appendValue(in: bytes, &scanner)
      members.append(Member(key: keyRange, output: outputStart..<result.count))
    }
    sortMembers(from: firstMember)
    rewriteOutput(ofMembersFrom: firstMember, at: start)
    members.removeSubrange(firstMember...)
    keys.removeSubrange(firstKey...)
    result.append(UInt8(ascii: "}"))
  }

  /// Sorts the innermost object's members by key, and repetitions of a key by where they were written.
  private mutating func sortMembers(from first: Int) {
    members[first...].sort { left, right in
      if keys[left.key].elementsEqual(keys[right.key]) { return left.key.lowerBound < right.key.lowerBound }
      return keys[left.key].lexicographicallyPrecedes(keys[right.key])
    }
  }

  /// Whether the next member repeats the key of this one.
  private func isRepeated(_ index: Int) -> Bool {
    index + 1 < members.count && keys[members[index].key].elementsEqual(keys[members[index + 1].key])
  }

  /// Puts the innermost object's members into the result in their present order, with commas.
  private mutating func rewriteOutput(ofMembersFrom first: Int, at start: Int) {
    scratch.removeAll(keepingCapacity: true)
    for index in members.indices.dropFirst(first) where !isRepeated(index) {
      if !scratch.isEmpty { scratch.append(UInt8(ascii: ",")) }
      scratch.append(contentsOf: result[members[index].output])
    }
    result.replaceSubrange(start..., with: scratch)
  }

  private mutating func append(_ string: JSONValue, of bytes: Span<UInt8>) {
    result.append(UInt8(ascii: "\""))
    if string.hasEscapes {
      scratch.removeAll(keepingCapacity: true)
      string.unescape(from: bytes, appendingTo: &scratch)
      for byte in scratch { JSONWriter.escape(byte, to: &result) }
    } else {
      result.append(bytes.extracting(string.text))
    }
    result.append(UInt8(ascii: "\""))
  }
}
