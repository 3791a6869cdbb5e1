/// How far a run of lines `NAME=VALUE` has been carried out.
package struct AssignmentRun: Sendable {
  /// Where the first line begins that was not carried out.
  package var end: Int
  /// How many lines were carried out, a refused one among them.
  package var lines = 0
  /// How many of them changed a value.
  package var changes = 0
  /// Whether it stopped for no other reason than that enough was decided for once.
  package var isPaused = false
  /// Why the last of the lines was refused; nothing after it was looked at.
  package var refusal: ValueStoreError?

  /// A run that begins at that byte of its chunk.
  package init(from start: Int) { end = start }
}
