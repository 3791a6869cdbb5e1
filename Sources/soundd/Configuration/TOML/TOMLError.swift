/// Why a text is not TOML, and where.
///
/// The message says what was found and what was expected.
struct TOMLError: Error, Equatable, Sendable, CustomStringConvertible {
  var place: TOMLPlace
  var message: String

  var description: String { "\(place): \(message)" }
}
