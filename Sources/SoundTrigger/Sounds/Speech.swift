/// What is spoken after a sound, or without one.
package enum Speech {
  /// How the name of a spoken text begins. Its sound is silence, because the text is made when it is spoken, or before.
  package static let prefix = "say:"
}
