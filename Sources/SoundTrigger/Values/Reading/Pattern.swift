import CALSA

/// A PCRE2 regular expression whose search takes a bounded time, for every expression and every text.
///
/// Equal sources are equal patterns.
///
/// `@unchecked Sendable`: the pointer is set once, and the memory behind it is written under a lock of its own.
package final class Pattern: Hashable, @unchecked Sendable, CustomStringConvertible {
  /// The expression as it was written.
  package let source: String
  /// What PCRE2 made of it (pcre2_compile).
  private let compiled: OpaquePointer

  /// Why a text is not a valid expression.
  package struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// PCRE2's words.
    package var message: String
    /// At which byte of the source.
    package var offset: Int

    package var description: String { "\(message) (at byte \(offset + 1))" }
  }

  /// The result of a search.
  package enum Finding: Equatable, Sendable {
    /// The range of the first group if it took part, else of the whole match.
    case found(Range<Int>)
    case nothing
    /// The search stopped after as many steps as one search may take.
    case tooCostly
    /// The search stopped, or never began, because the budget was spent.
    case overBudget
  }

  /// Compiles an expression.
  package init(_ source: String) throws(Problem) {
    var message = [CChar](repeating: 0, count: 256)
    var offset = 0
    let bytes = Array(source.utf8)
    guard let compiled = cpattern_compile(bytes, bytes.count, &message, message.count, &offset) else {
      let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw Problem(message: String(decoding: text, as: UTF8.self), offset: offset)
    }
    self.source = source
    self.compiled = compiled
  }

  deinit { cpattern_free(compiled) }

  package var description: String { source }

  /// Searches bytes, which need not be UTF-8; allocates nothing.
  package func search(_ content: Span<UInt8>, within budget: inout SearchBudget) -> Finding {
    var start = 0
    var end = 0
    let result = content.withUnsafeBufferPointer {
      // Reads `count` bytes at most.
      cpattern_match(compiled, $0.baseAddress, $0.count, &budget.steps, &start, &end)
    }
    switch result {
    case Int32(CPATTERN_FOUND) where start <= end: return .found(start..<end)
    case Int32(CPATTERN_TOO_COSTLY): return .tooCostly
    case Int32(CPATTERN_OVER_BUDGET): return .overBudget
    default: return .nothing
    }
  }

  /// Searches with a budget of its own.
  package func search(_ content: Span<UInt8>) -> Finding {
    var budget = SearchBudget.transaction
    return search(content, within: &budget)
  }

  package static func == (left: Pattern, right: Pattern) -> Bool { left.source == right.source }

  package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
