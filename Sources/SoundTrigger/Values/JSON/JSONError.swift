/// Why bytes are not a JSON document, and where.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where the reading stopped, in bytes from the start.
  package var offset: Int
  package var problem: Problem

  package enum Problem: Equatable, Sendable {
    /// Another byte, or the end (`nil`), where only certain things may stand.
    case unexpected(found: UInt8?, expected: String)
    /// A control character that a string must write as an escape.
    case controlCharacter(UInt8)
    case invalidUTF8
    /// Half of a surrogate pair without the other.
    case loneSurrogate
    /// Objects and arrays within each other beyond `JSONScanner.maximumDepth`.
    case tooDeep
    /// An exponent beyond ±10^15: two such numbers could not be compared.
    case exponentOutOfRange
  }

  package var description: String {
    let what: String =
      switch problem {
      case .unexpected(let found?, let expected): "expected \(expected), found \(Excerpt.quoting(found))"
      case .unexpected(nil, let expected): "expected \(expected), found the end"
      case .controlCharacter(let byte):
        "expected a character or an escape, found the control character \(Excerpt.quoting(byte))"
      case .invalidUTF8: "expected UTF-8, found a byte that is not part of it"
      case .loneSurrogate: "expected a pair of surrogates, found one alone"
      case .tooDeep: "expected at most \(JSONScanner.maximumDepth) levels, found one more"
      case .exponentOutOfRange: "expected an exponent within ±10^15, found one beyond it"
      }
    return "byte \(offset): \(what)"
  }
}
