import CALSA

/// A PCRE2 regular expression whose search takes a bounded time, for every expression and every text.
///
/// Equal sources are equal patterns.
package struct Pattern: Hashable, Sendable, CustomStringConvertible {
  /// The expression as it was written.
  package let source: String
  private let compiled: Compiled

  /// Why a text is no expression.
  package struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// PCRE2's words.
    package var message: String
    /// At which byte of the source.
    package var offset: Int

    package var description: String { "\(message) (at byte \(offset + 1))" }
  }

  /// The result of a search.
  package enum Finding: Equatable, Sendable {
    /// The place of the first group if it took part, else of the whole match.
    case found(Range<Int>)
    case nothing
    /// The search stopped after a fixed number of steps.
    case tooCostly
  }

  /// Compiles an expression.
  package init(_ source: String) throws(Problem) {
    self.source = source
    compiled = try Compiled(Array(source.utf8))
  }

  package var description: String { source }

  /// Searches bytes, which need not be UTF-8; allocates nothing.
  package func search(_ content: Span<UInt8>) -> Finding {
    var start = 0
    var end = 0
    let result = content.withUnsafeBufferPointer {
      // Reads `count` bytes at most.
      cpattern_match(compiled.pattern, $0.baseAddress, $0.count, &start, &end)
    }
    return result > 0 && start <= end ? .found(start..<end) : result < 0 ? .tooCostly : .nothing
  }

  package static func == (left: Pattern, right: Pattern) -> Bool { left.source == right.source }

  package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// Owns what PCRE2 made of an expression (pcre2_compile).
///
/// `@unchecked Sendable`: the pointer is set once, and what lies behind it is written under a lock of its own.
private final class Compiled: @unchecked Sendable {
  let pattern: OpaquePointer

  init(_ source: [UInt8]) throws(Pattern.Problem) {
    var message = [CChar](repeating: 0, count: 256)
    var offset = 0
    guard let pattern = cpattern_compile(source, source.count, &message, message.count, &offset) else {
      let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw Pattern.Problem(message: String(decoding: text, as: UTF8.self), offset: offset)
    }
    self.pattern = pattern
  }

  deinit { cpattern_free(pattern) }
}
