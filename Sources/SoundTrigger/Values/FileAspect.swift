/// What a value tells of the file, folder or pipe at its path.
///
/// The raw value is the configuration's key.
package enum FileAspect: String, CaseIterable, Sendable {
  /// What the file holds.
  case content = "file"
  /// Each line that is appended to the file.
  case lines
  /// How many entries the folder has.
  case count
  /// Whether there is anything.
  case exists
  /// Each line that is written to the named pipe.
  case fifo
}
