/// Content of any length, taken in chunks and held in bounded memory.
///
/// At most `Value.maximumLength` bytes are kept; of longer content a running SHA-256. White space that may or may not
/// turn out to be trailing, and of which there may be any amount, goes into the hash at once: a copy of the hash's
/// state as it was after the last other byte waits beside it, and is the one that counts in the end.
package struct ContentAccumulator: Sendable {
  /// Whether white space around the content is dropped, as the value's declaration says.
  package let trim: Bool
  /// The first bytes.
  private(set) var prefix: [UInt8] = []
  /// Bytes so far, leading white space not counted if it is dropped.
  private var length = 0
  /// The same without trailing white space, if that is dropped.
  private(set) var contentLength = 0
  /// The hash of all `length` bytes; `nil` while they are all in `prefix`.
  private var hash: SHA256?
  /// The hash of the first `contentLength` bytes; meaningless while they are all in `prefix`.
  private var contentHash = SHA256()

  package init(trim: Bool = true) { self.trim = trim }

  /// Forgets the content and keeps the memory.
  package mutating func removeAll() {
    prefix.removeAll(keepingCapacity: true)
    length = 0
    contentLength = 0
    hash = nil
  }

  /// Takes the next chunk.
  package mutating func append(_ chunk: Span<UInt8>) {
    var start = 0
    if trim && length == 0 {
      while start < chunk.count && WhiteSpace.contains(chunk[start]) { start += 1 }
    }
    var end = chunk.count
    if trim {
      while end > start && WhiteSpace.contains(chunk[end - 1]) { end -= 1 }
    }
    take(chunk.extracting(start..<end))
    if end > start {
      contentLength = length
      if let hash { contentHash = hash }
    }
    take(chunk.extracting(end..<chunk.count))
  }

  private mutating func take(_ bytes: Span<UInt8>) {
    length += bytes.count
    if hash == nil {
      let room = Value.maximumLength - prefix.count
      guard bytes.count > room else {
        prefix.append(bytes)
        return
      }
      prefix.append(bytes.extracting(0..<room))
      var hash = SHA256()
      hash.update(prefix.span)
      hash.update(bytes.extracting(room..<bytes.count))
      self.hash = hash
    } else {
      hash?.update(bytes)
    }
  }

  /// The content as a text, or what stands for it.
  package var value: Value {
    fingerprint.map { .fingerprint($0) } ?? .text(ByteString(prefix.span.extracting(0..<contentLength)))
  }

  /// What stands for the content if it is too long to be kept.
  package var fingerprint: Fingerprint? {
    guard contentLength > Value.maximumLength else { return nil }
    var hash = contentHash
    return Fingerprint(length: contentLength, digest: hash.finish())
  }
}
