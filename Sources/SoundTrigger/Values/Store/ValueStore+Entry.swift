extension ValueStore {
  /// The patterns of the configuration.
  struct Patterns {
    struct Members {
      let pattern: ValuePattern
      /// What it makes of a name that no exact declaration has; `nil`: only triggers use it.
      let declaration: Declaration?
      /// How many values it names.
      var count = 0
      /// How many updates were refused, because there were too many members.
      var refused = 0
    }

    var all: [Members] = []
    /// The index of each by the names that it matches.
    var table = PatternTable<Int>()
    /// The maximum number of members of each.
    var limit = Int.max

    func match(_ name: ValueName) -> Bool { !table.elements(matching: name).isEmpty }

    mutating func count(_ name: ValueName, _ difference: Int) {
      for index in table.elements(matching: name) { all[index].count += difference }
    }
  }

  /// Where the contents of a value come from, and how they are read.
  package struct Declaration: Equatable {
    var kind = ValueKind.text
    var source = ValueSource.client
    /// Whether white space around a content is dropped.
    var trim = true
    /// `nil` if contents are taken as they are.
    var reading: Reading?

    init(kind: ValueKind = .text, source: ValueSource = .client, trim: Bool = true, reading: Reading? = nil) {
      (self.kind, self.source, self.trim, self.reading) = (kind, source, trim, reading)
    }

    /// That of a pattern's members.
    package init(kind: ValueKind, trim: Bool, extraction: Extraction?) {
      self.init(kind: kind, trim: trim, reading: Reading(extraction, nil))
    }
  }

  /// The content before an update.
  enum Replaced {
    /// There was none, and the new one is not kept yet.
    case nothing
    /// It equals the new one, and stays.
    case equal
    case other(Value)
  }

  /// A value with its declaration.
  struct Entry {
    let name: ValueName
    /// Whether the name was removed, so that another one may get the index.
    var isFree = false
    var declaration: Declaration
    /// Whether the configuration declares it.
    var isDeclared: Bool
    /// The last accepted content before extraction. `nil` before the first content, for a fingerprint, and for a value that
    /// only compares its base.
    var bytes: ByteString?
    /// The last accepted content as it is compared; `nil` before the first.
    var value: Value?
    /// Whether soundd has looked at the source and found no content. If so, the first content is a change with no old value.
    var beganAtNothing = false
    var updates = 0
    var updatedAt = Instant(nanoseconds: 0)
    var changedAt: Instant?
    var refusals = 0
    /// The bytes of memory that the content takes beside the entry, as `countContent` last counted them.
    var contentBytes = 0
    @Rare var lastRefusal: ValueRefusal?

    /// If these bytes equal the last content and the value is no event, counts an update and returns true.
    ///
    /// One mutating function, because Swift would copy the whole entry to call a function that does not mutate it.
    @inline(__always)
    mutating func acceptRepetition(of content: Span<UInt8>, at now: Instant) -> Bool {
      guard declaration.kind != .event, let bytes, bytes.holdsSameBytes(as: content) else { return false }
      countUpdate(at: now)
      return true
    }

    /// Counts an update, and makes this the content unless it equals the present one. An event is never equal.
    ///
    /// Takes the old content out of its place, because comparing and keeping it there copies it more often.
    mutating func replaceContent(with new: Value, at now: Instant) -> Replaced {
      countUpdate(at: now)
      guard let old = value.take() else { return .nothing }
      if old == new, declaration.kind != .event {
        value = old
        return .equal
      }
      value = new
      changedAt = now
      return .other(old)
    }

    mutating func countUpdate(at now: Instant) {
      updates &+= 1
      updatedAt = now
    }

    /// Lets the value begin at nothing if soundd has looked at its source for the first time, and the value has no content.
    mutating func foundNothing() {
      if value == nil, declaration.source.canBeRead { beganAtNothing = true }
    }

    /// Whether the first content is a change with no old value rather than an appearance.
    ///
    /// It is a change if the value began at nothing. An event that a client or a named pipe reports is one too, because it has
    /// just happened.
    var firstContentIsChange: Bool {
      beganAtNothing || (declaration.kind == .event && !declaration.source.canBeRead)
    }
  }

  /// The extraction from the contents of a value, and the comparison with the result.
  ///
  /// A class, so that the many entries without one hold only a `nil` reference.
  final class Reading: Equatable {
    let extraction: Extraction?
    let comparison: Comparison?

    /// `nil` if there is neither.
    init?(_ extraction: Extraction?, _ comparison: Comparison?) {
      if extraction == nil, comparison == nil { return nil }
      self.extraction = extraction
      self.comparison = comparison
    }

    static func == (left: Reading, right: Reading) -> Bool {
      left.extraction == right.extraction && left.comparison == right.comparison
    }
  }
}
