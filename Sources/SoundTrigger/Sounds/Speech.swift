/// Makes sounds of texts.
package protocol SpeechMaker: Sendable {
  /// Another one if the same text may sound different.
  var identity: Int { get }
  /// Whether it makes sounds now, and not only when a trigger speaks.
  var makesClips: Bool { get set }

  /// The sound of what a trigger says, for its loading; a single silent frame if it can only be made when the trigger speaks. Blocks.
  func clip(saying text: String, _ loader: ClipLoader) throws(SoundError) -> Clip
}

package enum Speech {
  /// How the name of a spoken text begins.
  package static let prefix = "say:"
}
