package import SoundTrigger

/// The members of a message with their kinds, in their order: what soundd-socket(7) lists.
package struct MemberList: Members {
  package struct Entry: Equatable, Sendable {
    package var name: String
    /// As `WireValue.kindName`; in brackets if the member may be missing.
    package var kind: String

    package init(name: String, kind: String) { (self.name, self.kind) = (name, kind) }
  }

  package private(set) var entries: [Entry] = []

  package init(of type: (some Message).Type) {
    var message = type.init()
    message.members(&self)
  }

  package mutating func callAsFunction<Content: WireValue>(_ name: StaticString, _ content: inout Content) {
    entries.append(Entry(name: "\(name)", kind: Content.kindName))
  }

  package mutating func required<Content: WireValue>(_ name: StaticString, _ content: inout Content) {
    self(name, &content)
  }

  package mutating func ifPresent<Content: WireValue>(_ name: StaticString, _ content: inout Content?) {
    entries.append(Entry(name: "\(name)", kind: "[\(Content.kindName)]"))
  }
}
