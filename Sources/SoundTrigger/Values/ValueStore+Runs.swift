/// Many assignments at once, as they come in a chunk of a stream.
///
/// Millions of them may come in a second, most of which change nothing. So everything that is needed for one line stands
/// here in one loop, and whatever is not quite plain is left to those who do it line by line.
extension ValueStore {
  /// A line whose content is another one than the value's last.
  struct NewContent {
    var index: Int
    /// Where it lies in the chunk, without the white space around it if that does not count.
    var range: Range<Int>
    var key: ByteKey
    /// Where the next line begins.
    var next: Int
  }

  /// Carries out lines from `run.end` on while they change nothing, and returns the first that may; `nil` if the chunk is
  /// at its end, or if a line is not plain.
  ///
  /// Plain is a whole line that begins with a known name, directly followed by `=`, of a value that clients set and nobody
  /// watches over.
  func skipUnchanged(_ chunk: Span<UInt8>, _ run: inout AssignmentRun, at now: Instant) -> NewContent? {
    let bytes = chunk.bytes
    while run.end < chunk.count {
      let start = run.end
      guard let equals = bytes.firstByte(UInt8(ascii: "="), from: start, limit: ValueName.maximumLength + 1),
        // A known name holds nothing that a name must not hold.
        let index = names.index(of: chunk.extracting(unchecked: start..<equals)),
        slots[index].isPlain, let newline = bytes.firstByte(UInt8(ascii: "\n"), from: equals + 1)
      else { return nil }
      // Proof for both extractions: `firstByte` returns places from `start` on, before the end of the chunk.
      let range = contentRange(equals + 1..<newline, of: chunk, isTrimmed: slots[index].trim)
      let content = chunk.extracting(unchecked: range)
      let key = key(of: content)
      guard slots[index].key == key, slots[index].kind != .event,
        key.isExact || records[index].bytes.holdsSameBytes(as: content)
      else { return NewContent(index: index, range: range, key: key, next: newline + 1) }
      slots[index].updates &+= 1
      slots[index].updatedAt = now
      run.end = newline + 1
      run.lines += 1
    }
    return nil
  }

  /// Takes the content that a run has come to.
  func accept(_ new: NewContent, of chunk: Span<UInt8>, at now: Instant) -> UpdateOutcome {
    accept(chunk.extracting(new.range), key: new.key, index: new.index, at: now)
  }

  /// The content of a line without its carriage return and, if it is trimmed, without the white space around it.
  @inline(__always)
  private func contentRange(_ range: Range<Int>, of chunk: Span<UInt8>, isTrimmed: Bool) -> Range<Int> {
    if range.isEmpty { return range }
    let last = chunk[range.upperBound - 1]
    // Nothing of what is mostly there is to be taken off.
    if last > 0x20, chunk[range.lowerBound] > 0x20 { return range }
    let line = last == UInt8(ascii: "\r") ? range.lowerBound..<range.upperBound - 1 : range
    guard isTrimmed else { return line }
    let trimmed = WhiteSpace.trimmedRange(of: chunk.extracting(line))
    return line.lowerBound + trimmed.lowerBound..<line.lowerBound + trimmed.upperBound
  }
}

extension RawSpan {
  /// The place of the first such byte at `start` or after it, looked for among `limit` bytes.
  @inline(__always)
  fileprivate func firstByte(_ byte: UInt8, from start: Int, limit: Int = .max) -> Int? {
    let end = limit < byteCount - start ? start + limit : byteCount
    var place = start
    let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
    // Eight at a time: in the lowest byte that is zero after this, and in none below it, the highest bit is set.
    while place <= end - 8 {
      // Within the bytes, by the condition just above.
      let word =
        UInt64(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)) ^ pattern
      let found = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
      if found != 0 { return place + found.trailingZeroBitCount / 8 }
      place += 8
    }
    while place < end {
      if unsafeLoad(fromUncheckedByteOffset: place, as: UInt8.self) == byte { return place }
      place += 1
    }
    return nil
  }
}
