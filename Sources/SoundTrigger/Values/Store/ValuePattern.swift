/// The names of many values, such as `agent/*`: `*` stands for one part between slashes, and as the last part for all the rest.
package struct ValuePattern: Hashable, Sendable, CustomStringConvertible {
  package let description: String
  private let parts: [Substring]

  /// Reads a pattern; `nil` if the text has no part `*`, or if no name could match it.
  package init?(_ text: String) {
    parts = text.split(separator: "/", omittingEmptySubsequences: false)
    description = text
    guard parts.contains("*"), ValueName(parts.map { $0 == "*" ? "_" : $0 }.joined(separator: "/")) != nil else {
      return nil
    }
  }

  /// Matches this name alone.
  package init(exactly name: ValueName) {
    description = name.description
    parts = description.split(separator: "/", omittingEmptySubsequences: false)
  }

  /// The text before the first `*`: it ends with a slash, is empty, or is all of the text. The longer it is, the more exact is
  /// the pattern.
  package var prefix: String { String(description.prefix { $0 != "*" }) }

  package func matches(_ name: ValueName) -> Bool { Self.meet(parts[...], Self.parts(of: name.description)) }

  /// Whether some name may match both.
  package func overlaps(_ other: ValuePattern) -> Bool { Self.meet(parts[...], other.parts[...]) }

  private static func parts(of text: String) -> ArraySlice<Substring> {
    text.split(separator: "/", omittingEmptySubsequences: false)[...]
  }

  private static func meet(_ left: ArraySlice<Substring>, _ right: ArraySlice<Substring>) -> Bool {
    guard let first = left.first, let other = right.first else { return left.isEmpty && right.isEmpty }
    if first == "*" && left.count == 1 || other == "*" && right.count == 1 { return !first.isEmpty && !other.isEmpty }
    return (first == other || first == "*" && !other.isEmpty || other == "*" && !first.isEmpty)
      && meet(left.dropFirst(), right.dropFirst())
  }
}

/// Patterns, each with an element, found by a name without looking at all of them.
package struct PatternTable<Element: Sendable>: Sendable {
  private var groups: [String: [(pattern: ValuePattern, element: Element)]] = [:]

  package init() {}

  package var isEmpty: Bool { groups.isEmpty }

  package mutating func add(_ pattern: ValuePattern, _ element: Element) {
    groups[pattern.prefix, default: []].append((pattern, element))
  }

  /// The elements of the patterns that a name matches: the one with the longest text before its first `*` first.
  package func elements(matching name: ValueName) -> [Element] {
    if groups.isEmpty { return [] }
    let text = name.description
    let prefixes = text.indices.filter { text[$0] == "/" }.map { text[...$0] }
    return ([text[...]] + prefixes.reversed() + [""]).flatMap { prefix in
      (groups[String(prefix)] ?? []).filter { $0.pattern.matches(name) }.map(\.element)
    }
  }
}
