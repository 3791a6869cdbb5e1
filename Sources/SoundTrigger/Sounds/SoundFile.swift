/// The file of a sound as it was at one moment.
package struct SoundFile: Sendable {
  /// Equal for the same content of the same file, however it is called.
  package struct Identity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    var size: Int64
    /// When the content, or the entry itself, was changed; in nanoseconds.
    var modified: Int64
    var changed: Int64
  }

  package let path: String
  package let identity: Identity

  /// Looks at a path (stat).
  package init(path: String) throws(SoundError) {
    self = try SoundDecoder.look(path)
  }

  init(path: String, identity: Identity) {
    self.path = path
    self.identity = identity
  }
}
