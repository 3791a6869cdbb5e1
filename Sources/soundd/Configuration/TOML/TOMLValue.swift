/// A value and the place of its first character.
struct TOMLNode: Sendable {
  var value: TOMLValue
  var place: TOMLPlace
}

/// What a key can be set to.
enum TOMLValue: Sendable {
  case string(String)
  case integer(Int64)
  case float(Double)
  case bool(Bool)
  case date(TOMLDate)
  case time(TOMLTime)
  /// Without an offset it is a local date-time.
  case dateTime(TOMLDate, TOMLTime, offsetMinutes: Int?)
  case array([TOMLNode])
  case table(TOMLTable)

  /// The type with its article, for messages.
  var typeName: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a float"
    case .bool: "a boolean"
    case .date: "a date"
    case .time: "a time"
    case .dateTime: "a date-time"
    case .array: "an array"
    case .table: "a table"
    }
  }
}

/// A day of the Gregorian calendar, known to exist.
struct TOMLDate: Hashable, Sendable {
  var year: Int
  var month: Int
  var day: Int
}

/// A time of day; digits past the nanosecond are cut off, and the second may be 60.
struct TOMLTime: Hashable, Sendable {
  var hour: Int
  var minute: Int
  var second: Int
  var nanosecond: Int
}
