import SoundTrigger

/// What outlives the daemon. Mute does not: after a restart nobody would know why nothing is heard.
struct SavedState: Equatable, Sendable {
  /// A factor, 0 to 1.
  var volume = 1.0
  var profile = ProfileChoice()
  /// When triggers with a throttle that still holds played last, by their names: milliseconds of UTC since 1970.
  var plays: [String: Int64] = [:]
  /// Of the content that a value has or had, for those that are to be compared with it at the next start.
  var digests: [ValueName: SIMD8<UInt32>] = [:]
}

// MARK: The file

/// A line for each thing, in an order of its own, and at the end the SHA-256 of all lines before:
///
///     soundd-state 1
///     volume 0.5
///     profile quiet 1790000000
///     play 1790000000123 reactor
///     value 9f86…0a08 build
///     sha256 60303ae2…
///
/// What of a trigger's name is no printable ASCII is written as `%XX`, and so is `%`. There is one way to write a state:
/// whatever is not that is damaged.
extension SavedState {
  /// Why bytes are no state.
  enum Problem: Error, Equatable, CustomStringConvertible {
    /// It does not end with the digest of what stands before.
    case incomplete
    /// It was written so, and yet a line says nothing that is known here.
    case line(Int)
    /// A later version of soundd wrote it.
    case newer(version: Int)

    var description: String {
      switch self {
      case .incomplete: "is damaged (its checksum is wrong)"
      case .line(let number): "is damaged (line \(number))"
      case .newer(let version): "has version \(version), and this soundd knows version \(SavedState.version)"
      }
    }
  }

  private static let version = 1
  private static let header = "soundd-state "
  private static let trailer = "sha256 "

  /// The content of the file.
  var bytes: [UInt8] {
    var text = "\(Self.header)\(Self.version)\nvolume \(volume)\nprofile \(profile.profile.rawValue)"
    if let time = profile.chosenAt { text += " \(time)" }
    text += "\n"
    for (name, time) in plays.sorted(by: { $0.key < $1.key }) { text += "play \(time) \(Self.escape(name))\n" }
    for (name, digest) in digests.sorted(by: { $0.key.description < $1.key.description }) {
      text += "value \(HexDigest.text(digest)) \(name)\n"
    }
    let body = Array(text.utf8)
    return body + Array("\(Self.trailer)\(Self.digest(body.span))\n".utf8)
  }

  init(_ bytes: [UInt8]) throws(Problem) {
    // The first line alone stays as it is in all versions to come.
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    if first.starts(with: Self.header.utf8), let version = Self.integer(first.dropFirst(Self.header.utf8.count)),
      version > Self.version
    {
      throw .newer(version: Int(version))
    }
    let end = bytes.count - (Self.trailer.utf8.count + 64 + 1)
    guard end >= 0 else { throw .incomplete }
    let digest = Self.digest(bytes.span.extracting(0..<end))
    guard bytes[end...].elementsEqual("\(Self.trailer)\(digest)\n".utf8) else { throw .incomplete }
    var state = SavedState()
    let lines = bytes[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated().dropFirst() where index < lines.count - 1 {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
      guard state.take(words) else { throw .line(index + 1) }
    }
    // Also whatever stands there twice, in another order or in other words.
    guard state.bytes == bytes else { throw .line(1) }
    self = state
  }

  /// Takes over what a line says; returns whether it says anything.
  private mutating func take(_ words: [ArraySlice<UInt8>]) -> Bool {
    let texts = words.map { String(decoding: $0, as: UTF8.self) }
    switch texts[0] {
    case "volume" where texts.count == 2:
      guard let level = Double(texts[1]), (0...1).contains(level) else { return false }
      volume = level
    case "profile" where texts.count >= 2:
      guard let known = Profile(rawValue: texts[1]) else { return false }
      profile = ProfileChoice(profile: known, chosenAt: texts.count > 2 ? Self.integer(words[2]) : nil)
    case "play" where texts.count == 3:
      guard let time = Self.integer(words[1]), let name = Self.unescape(words[2]) else { return false }
      plays[name] = time
    case "value" where texts.count == 3:
      guard let digest = HexDigest.digest(words[1]), let name = ValueName(texts[2]) else { return false }
      digests[name] = digest
    default: return false
    }
    return true
  }

  // MARK: Parts of lines

  private static func digest(_ bytes: Span<UInt8>) -> String {
    var hash = SHA256()
    hash.update(bytes)
    return HexDigest.text(hash.finish())
  }

  /// Digits, and perhaps a minus before them.
  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64? { Int64(String(decoding: bytes, as: UTF8.self)) }

  private static func escape(_ name: String) -> String {
    var text = ""
    for byte in name.utf8 {
      if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + HexDigest.text(byte)
      }
    }
    return text
  }

  private static func unescape(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "%") {
        bytes.append(byte)
      } else if let escaped = HexDigest.byte(rest.prefix(2)) {
        bytes.append(escaped)
        rest = rest.dropFirst(2)
      } else {
        return nil
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
