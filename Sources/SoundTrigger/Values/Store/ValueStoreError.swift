/// Why a name cannot be declared or set.
///
/// The store is unchanged.
package enum ValueStoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name, shown as an excerpt, breaks the rule for names.
  case invalidName(String)
  /// The name, shown as an excerpt, has more than `ValueName.maximumLength` bytes and is not beneath the prefix of a feed.
  case nameTooLong(String)
  /// The store is full.
  case tooManyValues(name: String, limit: Int)
  /// The value would be one member too many of a pattern.
  case tooManyMembers(name: String, pattern: String, limit: Int)
  /// A client wants to set a value that a file, folder or pipe feeds.
  case fedByFile(name: String, path: String, aspect: FileAspect = .content)
  /// A client wants to set a value that a command feeds.
  case fedByCommand(name: String)
  /// Somebody else than this feed wants to set a value beneath its prefix.
  case fedByFeed(name: String, feed: String)
  /// A client wants to set a value that is derived from another.
  case derived(name: String, from: String)
  /// The value refuses the content, for example because it is no number or memory is full.
  case refused(name: String, ValueRefusal)

  package var description: String {
    switch self {
    case .invalidName(let excerpt):
      "\(excerpt) is not a name: a name is 1 to \(ValueName.maximumLength) of the characters A-Z a-z 0-9 _ . / : - "
        + "and escapes such as %20, and begins with a letter, a digit or _"
    case .nameTooLong(let excerpt): "the name \(excerpt) is longer than \(ValueName.maximumLength) bytes"
    case .tooManyValues(let name, let limit):
      "'\(name)' would be one value too many: there are \(limit) already (limits.values)"
    case .tooManyMembers(let name, let pattern, let limit):
      "'\(name)' would be one member too many of \"\(pattern)\": there are \(limit) already (limits.members)"
    case .fedByFile(let name, let path, .content):
      "'\(name)' is fed by the file '\(path)'; write to that file instead"
    case .fedByFile(let name, let path, .lines):
      "'\(name)' is fed by the lines of '\(path)'; append to that file instead"
    case .fedByFile(let name, let path, .count): "'\(name)' is the count of what lies in '\(path)', and cannot be set"
    case .fedByFile(let name, let path, .exists): "'\(name)' tells whether '\(path)' exists, and cannot be set"
    case .fedByFile(let name, let path, .fifo):
      "'\(name)' is fed by the fifo '\(path)'; write to that named pipe instead"
    case .fedByCommand(let name): "'\(name)' is what a command reports, and cannot be set"
    case .fedByFeed(let name, let feed): "'\(name)' belongs to the feed '\(feed)', and nobody else can set it"
    case .derived(let name, let base): "'\(name)' is derived from '\(base)'; set that instead"
    case .refused(let name, let refusal): "'\(name)': \(refusal)"
    }
  }
}
