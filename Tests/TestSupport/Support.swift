import Foundation
package import SoundTrigger
package import Testing

/// Whether `SOUNDD_QUICK` is set, as `make test-unit` does: then long tests try fewer cases, or are left out.
package let isQuick = getenv("SOUNDD_QUICK") != nil

extension Trait where Self == ConditionTrait {
  /// A test that takes a second or more, and is left out if the tests are quick.
  package static var slow: Self { .disabled(if: isQuick, "it takes seconds") }
}

/// Stereo noise within ±`peak`.
package func noise(frames: Int, seed: UInt64, peak: Float = 0.5) -> [Float] {
  var generator = SplitMix64(seed: seed)
  var samples = [Float](repeating: 0, count: 2 * frames)
  var place = 0
  // Tests are built without optimization: a loop of this kind takes a fifth of the time of `map`.
  while place < samples.count {
    samples[place] = Float.random(in: -peak...peak, using: &generator)
    place += 1
  }
  return samples
}

/// A folder that is removed with its contents when the last reference goes.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() {
    // Short: the path of a socket has at most 107 bytes.
    path = "/tmp/sd-\(UUID().uuidString.prefix(13))"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      preconditionFailure("no temporary folder: \(error)")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in the folder.
  package func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Writes a file, with its folders, and returns its path.
  @discardableResult
  package func write(_ name: String, _ bytes: some Collection<UInt8>) -> String {
    let url = URL(fileURLWithPath: self(name))
    do {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: url)
    } catch {
      preconditionFailure("cannot write \(url.path): \(error)")
    }
    return url.path
  }

  /// Writes a text file and returns its path.
  @discardableResult
  package func write(_ name: String, _ text: String) -> String { write(name, Array(text.utf8)) }
}

/// Whether the tests run with the Thread Sanitizer.
package let isThreadSanitized = dlsym(nil, "__tsan_init") != nil

/// Whether this is built with the Thread or the Address Sanitizer: they make mlock do nothing, and have page faults of their own.
package let isSanitized = isThreadSanitized || dlsym(nil, "__asan_init") != nil

/// The text of a file below /proc, which has no size and comes in pieces: Foundation would stop at the first.
package func textOfFile(_ path: String) throws -> String {
  guard let file = fopen(path, "r") else { throw CocoaError(.fileReadNoSuchFile) }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 4096)
  while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
  return String(decoding: bytes, as: UTF8.self)
}

extension Clip {
  /// A clip of interleaved stereo samples; without memory for it the tests end.
  package convenience init(stereo samples: [Float], rate: Int) {
    do {
      try self.init(samples, rate: rate)
    } catch {
      fatalError("\(error)")
    }
  }
}

/// The number in a variable of the environment; `nil` if it is not set.
package func variable(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
