import SoundTrigger

/// A value as `get` and `list` show it.
struct ValueReport {
  var name: String
  /// `nil`: nothing has set it yet.
  var value: Value?
  var kind: ValueKind
  /// Accepted updates, the appearance included.
  var updates: Int
  /// When the content became what it is.
  var changedAt: Timestamp?
  /// Where it comes from: `socket`, or the key of the configuration and its path.
  var source: String
  /// Whether no update came for longer than `expect_every`; `nil`: none is expected.
  var isStale: Bool?

  /// The reply to `get`.
  var json: [UInt8] {
    var writer = ReportWriter()
    write(to: &writer)
    return writer.bytes
  }

  private func write(to writer: inout ReportWriter) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("value", value)
      writer.member("type", kind.rawValue)
      writer.member("updates", updates)
      writer.member("changed_at", changedAt)
      writer.member("source", source)
      if let isStale { writer.member("stale", isStale) }
    }
  }
}

extension ReportWriter {
  /// A value in its own JSON type; content that was too long to be kept as an object of its length and SHA-256.
  mutating func member(_ name: String, _ value: Value?) {
    member(name) { writer in
      switch value {
      case nil: writer.null()
      case .text(let bytes): writer.string(bytes.array)
      case .number(let number): writer.number(number)
      case .bool(let flag): writer.raw(flag ? "true".utf8 : "false".utf8)
      case .json(let document): writer.raw(document.array)
      case .fingerprint(let fingerprint):
        writer.object { writer in
          writer.member("length", fingerprint.length)
          writer.member("sha256", Self.hexadecimal(fingerprint.digest))
        }
      }
    }
  }

  private static func hexadecimal(_ digest: SIMD8<UInt32>) -> String {
    digest.indices.map { index in
      let word = String(digest[index], radix: 16)
      return String(repeating: "0", count: 8 - word.utf8.count) + word
    }.joined()
  }
}
