import SoundTrigger

/// One `[[trigger]]`, and where it was written.
struct TriggerDeclaration: Equatable, Sendable {
  /// Sounds with a `/` are absolute paths, the others names to be looked up.
  var definition: TriggerDefinition
  /// The place of the `[[trigger]]`.
  var place: TOMLPlace
  /// Where each sound is first named, under the name it has in the definition.
  var soundPlaces: [String: TOMLPlace]
}
