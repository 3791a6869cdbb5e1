/// The part of a content that becomes the value: a JSON pointer selects, then a regular expression searches in that.
package struct Extraction: Hashable, Sendable {
  /// A string means its characters, anything else is taken as it is written.
  package let pointer: JSONPointer?
  /// The first group if it takes part in the match, else the whole match.
  package let pattern: Pattern?

  /// `nil` if there is neither.
  package init?(pointer: JSONPointer?, pattern: Pattern?) {
    if pointer == nil, pattern == nil { return nil }
    self.pointer = pointer
    self.pattern = pattern
  }

  /// Where the extracted text is.
  struct Location: Equatable {
    /// Whether the range is one of the unescaped bytes rather than of the content.
    var isUnescaped: Bool
    var range: Range<Int>
  }

  /// Finds the text in a content; `nil` if the expression does not match.
  ///
  /// Writes a string with escapes into `scratch`, without them. Takes a bounded time, and allocates nothing once `scratch`
  /// is large enough.
  func find(
    in content: Span<UInt8>, scratch: inout [UInt8], within budget: inout SearchBudget
  ) throws(ValueRefusal) -> Location? {
    guard content.count <= Value.maximumLength else { throw .tooLongToExtract(length: content.count) }
    var location = Location(isUnescaped: false, range: 0..<content.count)
    if let pointer {
      let target = try Self.find(pointer, in: content, scratch: &scratch)
      location.range = target.text
      if target.hasEscapes {
        scratch.removeAll(keepingCapacity: true)
        target.unescape(from: content, appendingTo: &scratch)
        location = Location(isUnescaped: true, range: 0..<scratch.count)
      }
    }
    guard let pattern else { return location }
    let found =
      location.isUnescaped
      ? try Self.search(scratch.span, for: pattern, &budget)
      : try Self.search(content.extracting(location.range), for: pattern, &budget)
    let start = location.range.lowerBound
    return found.map {
      Location(isUnescaped: location.isUnescaped, range: start + $0.lowerBound..<start + $0.upperBound)
    }
  }

  private static func search(
    _ text: Span<UInt8>, for pattern: Pattern, _ budget: inout SearchBudget
  ) throws(ValueRefusal) -> Range<Int>? {
    switch pattern.search(text, within: &budget) {
    case .found(let range): return range
    case .nothing: return nil
    case .tooCostly: throw .tooCostlyToMatch(Excerpt.quoting(text))
    case .overBudget: throw .overBudget(Excerpt.quoting(text))
    }
  }

  private static func find(
    _ pointer: JSONPointer, in content: Span<UInt8>, scratch: inout [UInt8]
  ) throws(ValueRefusal) -> JSONValue {
    let found: JSONValue?
    do throws(JSONError) {
      found = try pointer.find(in: content, scratch: &scratch)
    } catch {
      throw .notJSON(Excerpt.quoting(content), error)
    }
    guard let found else { throw .nothingAtPointer(pointer.description) }
    guard found.kind != .null else { throw .nullAtPointer(pointer.description) }
    return found
  }
}
