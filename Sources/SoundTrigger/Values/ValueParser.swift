/// Turns content into values of a kind.
///
/// Keeps its buffers from content to content.
package struct ValueParser: Sendable {
  private var canonicalizer = JSONCanonicalizer()

  package init() {}

  /// The value that the content is as this kind.
  ///
  /// The content is trimmed already if it is to be. More than `Value.maximumLength` bytes become a fingerprint as text
  /// or event, and are refused as anything else. `known` is returned instead of a new value that equals it.
  package mutating func parse(
    _ content: Span<UInt8>, as kind: ValueKind, known: Value? = nil
  ) throws(ValueRefusal) -> Value {
    guard content.count <= Value.maximumLength else {
      guard kind == .text || kind == .event else { throw .tooLong(length: content.count, kind: kind) }
      var hash = SHA256()
      hash.update(content)
      return .fingerprint(Fingerprint(length: content.count, digest: hash.finish()))
    }
    switch kind {
    case .text, .event:
      if case .text(let bytes)? = known, bytes.holdsSameBytes(as: content) { return .text(bytes) }
      return .text(ByteString(content))
    case .number: return .number(try DecimalNumber.parse(content))
    case .bool: return .bool(try Self.parseBool(content))
    case .json:
      do throws(JSONError) {
        try canonicalizer.canonicalize(content)
      } catch {
        throw .notJSON(Excerpt.quoting(content), error)
      }
      let document = canonicalizer.result.span
      if case .json(let bytes)? = known, bytes.holdsSameBytes(as: document) { return .json(bytes) }
      return .json(ByteString(document))
    }
  }

  private static func parseBool(_ content: Span<UInt8>) throws(ValueRefusal) -> Bool {
    switch content.count {
    case 1 where content[0] == UInt8(ascii: "1"): return true
    case 1 where content[0] == UInt8(ascii: "0"): return false
    case 2 where content.equalsIgnoringCase("on"): return true
    case 2 where content.equalsIgnoringCase("no"): return false
    case 3 where content.equalsIgnoringCase("yes"): return true
    case 3 where content.equalsIgnoringCase("off"): return false
    case 4 where content.equalsIgnoringCase("true"): return true
    case 5 where content.equalsIgnoringCase("false"): return false
    default: throw .notABool(Excerpt.quoting(content))
    }
  }
}
