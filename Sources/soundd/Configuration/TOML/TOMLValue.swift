/// A value and the location of its first character.
struct TOMLNode {
  var value: TOMLValue
  var location: TOMLLocation
}

/// The value of a key.
enum TOMLValue {
  case string(String)
  case integer(Int64)
  case float(Double)
  case bool(Bool)
  /// A date, a time or both. No key takes one, so nothing reads it.
  case date
  case array([TOMLNode])
  case table(TOMLTable)

  /// The type with its article, for messages.
  var typeName: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a float"
    case .bool: "a boolean"
    case .date: "a date or a time"
    case .array: "an array"
    case .table: "a table"
    }
  }
}

/// A key as TOML compares them: by bytes.
///
/// Swift's strings treat two spellings of "é" as equal.
struct TOMLKey: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  /// Whether a key of this byte alone needs no quotes.
  static func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  static func == (left: TOMLKey, right: TOMLKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// One part of a dotted key where it was written.
struct TOMLKeyPart {
  var key: TOMLKey
  var location: TOMLLocation
}

/// Where something stands in a configuration.
struct TOMLLocation: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  var line: Int
  /// In Unicode scalars, counted from 1; a byte order mark does not count.
  var column: Int
  /// The part of the configuration; `nil`: the configuration file itself, which comes before its parts.
  var file: String?

  var description: String { "\(line):\(column)" }

  /// `FILE:LINE:COLUMN`, in the configuration with this name.
  func text(in configuration: String) -> String { "\(file ?? configuration):\(self)" }

  static func < (left: TOMLLocation, right: TOMLLocation) -> Bool {
    (left.file ?? "", left.line, left.column) < (right.file ?? "", right.line, right.column)
  }
}

/// Why a text is not TOML, and where.
///
/// The message says what TOML expects, and what the text has.
struct TOMLProblem: Error, Equatable, Sendable, CustomStringConvertible {
  var location: TOMLLocation
  var message: String

  var description: String { "\(location): \(message)" }
}
