/// An optional content that most owners never have. Until it is first set it takes 8 bytes; an Optional always has the room for its
/// content.
///
/// The memory stays when the content goes, because the content often comes again.
@propertyWrapper
package struct Rare<Content: Sendable>: Sendable {
  /// One content or none.
  private var contents: [Content] = []

  package init() {}

  @inline(__always)
  var isEmpty: Bool { contents.isEmpty }

  package var wrappedValue: Content? {
    @inline(__always) get { contents.first }
    @inline(__always) set {
      guard let newValue else { return contents.removeAll(keepingCapacity: true) }
      if contents.isEmpty { contents.append(newValue) } else { contents[0] = newValue }
    }
  }

  /// A part of the content, read in place, because `wrappedValue` copies the content.
  @inline(__always)
  func part<Part>(_ read: (borrowing Content) -> Part) -> Part? { contents.isEmpty ? nil : read(contents[0]) }

  /// Changes the content in place, if there is one.
  @inline(__always)
  mutating func modify(_ change: (inout Content) -> Void) {
    if !contents.isEmpty { change(&contents[0]) }
  }

  /// The content, or `absent` if there is none; a change of it sets it.
  subscript(absent absent: @autoclosure () -> Content) -> Content {
    // A `_read` would yield `absent()`, which Swift 6.3 may look at when it is gone.
    @inline(__always) get { contents.isEmpty ? absent() : contents[0] }
    @inline(__always) _modify {
      if contents.isEmpty { contents.append(absent()) }
      yield &contents[0]
    }
  }
}

extension Rare: Equatable where Content: Equatable {}
extension Rare: Hashable where Content: Hashable {}
