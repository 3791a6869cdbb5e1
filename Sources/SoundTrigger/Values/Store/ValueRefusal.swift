/// Why a value refuses an update, and keeps its content.
package enum ValueRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The content is not a decimal number. This and the other excerpts show its beginning.
  case notANumber(String)
  /// NaN equals nothing, so a change from or to it cannot be detected.
  case nan(String)
  case infinite(String)
  /// A decimal number beyond the range of a Double.
  case outOfRange(String)
  case notABool(String)
  case notJSON(String, JSONError)
  /// Longer than any content of this kind may be.
  case tooLong(length: Int, kind: ValueKind)
  /// What a command or a feed printed, a line or all of it, is longer than any content may be.
  case tooMuch
  /// The content is longer than `json` and `match` allow.
  case tooLongToExtract(length: Int)
  /// The JSON pointer leads to nothing in the document.
  case nothingAtPointer(String)
  /// The JSON pointer leads to `null`.
  case nullAtPointer(String)
  /// The search for `match` stopped, because it would have taken too long.
  case tooCostlyToMatch(String)
  /// The search for `match` stopped, because the expressions of this update took too long together.
  case overBudget(String)
  /// The memory for contents and sounds is full, so an undeclared value may not grow.
  case noMemory(length: Int)

  /// Whether the document has nothing where the JSON pointer leads.
  var isAbsence: Bool {
    switch self {
    case .nothingAtPointer, .nullAtPointer: true
    default: false
    }
  }

  /// Whether the other differs from this only in the refused content, so that a log need not repeat it.
  package func hasSameReason(as other: ValueRefusal?) -> Bool {
    switch (self, other) {
    case (.notANumber, .notANumber), (.nan, .nan), (.infinite, .infinite), (.outOfRange, .outOfRange),
      (.notABool, .notABool), (.notJSON, .notJSON), (.tooLong, .tooLong), (.tooLongToExtract, .tooLongToExtract),
      (.tooCostlyToMatch, .tooCostlyToMatch), (.overBudget, .overBudget), (.noMemory, .noMemory):
      true
    default: self == other
    }
  }

  /// Why soundd did not search for an expression that is cheap by itself.
  static let spentBudget = "the expressions of one update share a budget, and it was spent"

  /// A piece of a sentence, such as `'abc' is not a number`.
  package var description: String {
    switch self {
    case .notANumber(let excerpt): "\(excerpt) is not a number"
    case .nan(let excerpt): "\(excerpt) is refused: NaN equals nothing, not even itself"
    case .infinite(let excerpt): "\(excerpt) is not a finite number"
    case .outOfRange(let excerpt): "\(excerpt) is beyond the largest number (about 1.8e308)"
    case .notABool(let excerpt): "\(excerpt) is not a bool (true/false, yes/no, on/off or 1/0)"
    case .notJSON(let excerpt, let error): "\(excerpt) is not JSON: \(error)"
    case .tooLong(let length, let kind):
      "\(length) bytes are too long for a value of type \(kind.rawValue) (at most \(Value.maximumLength))"
    case .tooMuch: "more than \(Value.maximumLength) bytes at once are too long for a value"
    case .tooLongToExtract(let length):
      "\(length) bytes are too long to look into with json or match (at most \(Value.maximumLength))"
    case .nothingAtPointer(let pointer): "the document has nothing at '\(pointer)'"
    case .nullAtPointer(let pointer): "the document has null at '\(pointer)', and no value can be null"
    case .tooCostlyToMatch(let excerpt): "looking into \(excerpt) with match was given up, because it takes too long"
    case .noMemory(let length):
      "\(length) bytes do not fit into the memory for contents and sounds (limits.memory; 'soundd status' says what is "
        + "used, 'soundd unset' frees some)"
    case .overBudget(let excerpt):
      "looking into \(excerpt) with match was given up, because \(Self.spentBudget)"
    }
  }
}
