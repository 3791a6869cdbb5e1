import SoundTrigger
import SoundWire

/// Why an assignment or a JSON object was refused. No part of it was applied.
enum AssignmentRefusal: Error, Equatable, CustomStringConvertible {
  case json(JSONError)
  case null(name: String)
  /// A name of a feed, shown as an excerpt, that has no form as the name of a value.
  case name(String, NameEscape.Refusal)
  case value(ValueStoreError)

  var code: ReplyCode {
    switch self {
    case .json, .null, .name: .invalid
    case .value(let error): ReplyCode(error)
    }
  }

  var description: String {
    switch self {
    case .json(let error): "not a JSON object: \(error)"
    case .null(let name): "\(Excerpt.quoting(name)) is null, and no value can be; leave it out"
    case .name(let name, let refusal): "the name \(name) \(refusal)"
    case .value(let error): error.description
    }
  }
}

extension ReplyCode {
  /// Why a value was not set.
  init(_ error: ValueStoreError) {
    self =
      switch error {
      case .invalidName, .nameTooLong: .invalid
      case .tooManyValues, .tooManyMembers: .limit
      case .fedByFile, .fedByCommand, .fedByFeed, .derived: .owned
      case .refused(_, .noMemory): .limit
      case .refused: .refused
      }
  }
}
