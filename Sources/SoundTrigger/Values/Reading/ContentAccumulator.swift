/// Gathers the text of a content of any length from chunks, in bounded memory.
///
/// Keeps at most `Value.maximumLength` bytes, and for longer content a running SHA-256. White space may turn out to be
/// trailing, and there may be any amount of it. So it is hashed at once, and a copy of the hash from before it is kept. The
/// copy counts if no other byte follows.
package struct ContentAccumulator: Sendable {
  /// Whether white space around the content is dropped, as the value's declaration says.
  package let trim: Bool
  /// Whether all bytes so far may belong to a byte order mark.
  private var mayBeMark = true
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
    mayBeMark = true
    prefix.removeAll(keepingCapacity: true)
    length = 0
    contentLength = 0
    hash = nil
  }

  /// Appends the next chunk.
  package mutating func append(_ chunk: Span<UInt8>) {
    var start = skipMark(in: chunk)
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

  /// Drops a byte order mark, which may come in parts. Returns how many bytes of the chunk it has taken or kept.
  private mutating func skipMark(in chunk: Span<UInt8>) -> Int {
    var start = 0
    while mayBeMark, start < chunk.count {
      mayBeMark = chunk[start] == ByteOrderMark.bytes[length]
      if !mayBeMark { break }
      take(chunk.extracting(start..<start + 1))
      contentLength = length
      start += 1
      if length < ByteOrderMark.bytes.count { continue }
      removeAll()
      mayBeMark = false
    }
    return start
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

  /// The content as a text, or its fingerprint.
  package var value: Value {
    fingerprint.map { .fingerprint($0) } ?? .text(ByteString(prefix.span.extracting(0..<contentLength)))
  }

  /// The fingerprint of a content that is too long to keep; `nil` for any other.
  package var fingerprint: Fingerprint? {
    guard contentLength > Value.maximumLength else { return nil }
    var hash = contentHash
    return Fingerprint(length: contentLength, digest: hash.finish())
  }
}
