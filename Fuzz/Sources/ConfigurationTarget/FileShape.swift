@testable import soundd

/// How many lines a file has, and how long they are.
struct FileShape {
  /// Of each line, how many Unicode scalars it has at the most: each byte that is none may count as one.
  private let lengths: [Int]

  init(_ bytes: [UInt8]) {
    let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    lengths = bytes.dropFirst(isMarked ? 3 : 0).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map {
        String(decoding: $0, as: UTF8.self).unicodeScalars.count
      }
  }

  /// Whether a place is in the file, or directly behind the end of one of its lines.
  func has(_ place: TOMLLocation) -> Bool {
    lengths.indices.contains(place.line - 1) && place.column >= 1 && place.column <= lengths[place.line - 1] + 1
  }
}
