import Testing

/// A configuration, or the part of one that matters, and its error.
struct ProblemCase: CustomTestStringConvertible, Sendable {
  var text: String
  var errors: [String]
  var testDescription: String { errors.first ?? text }

  init(_ text: String, _ errors: String...) {
    self.text = text
    self.errors = errors
  }
}
