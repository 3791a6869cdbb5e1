import Foundation
import SoundTrigger
import Testing

struct ShippedSoundsTests {
  @Test func `the folder holds exactly the promised sounds, in less than a megabyte`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: ShippedSound.folder.path)
    let sounds = files.filter { $0.hasSuffix(".wav") }
    #expect(sounds.sorted() == ShippedSoundPromise.all.map { "\($0.name).wav" }.sorted())

    let bytes = try sounds.map { try Data(contentsOf: ShippedSound.folder.appending(path: $0)).count }.reduce(0, +)
    #expect(bytes < 1_000_000)
  }

  @Test(arguments: ShippedSoundPromise.all)
  func `a sound is 48 kHz, 16 bit, mono PCM behind the plain header of 44 bytes`(
    promise: ShippedSoundPromise
  ) throws {
    let bytes = [UInt8](try Data(contentsOf: ShippedSound.file(promise.name)))
    try #require(bytes.count > 44)
    let count = UInt32(bytes.count)
    // RIFF, WAVE, "fmt " of 16 bytes: PCM (1), 1 channel, 48,000 Hz, 96,000 bytes a second, 2 a frame, 16 bits; data.
    let header =
      Array("RIFF".utf8) + littleEndian(count - 8) + Array("WAVEfmt ".utf8) + littleEndian(16)
      + [1, 0, 1, 0] + littleEndian(48_000) + littleEndian(96_000) + [2, 0, 16, 0]
      + Array("data".utf8) + littleEndian(count - 44)
    #expect(Array(bytes.prefix(44)) == header)
  }

  @Test(arguments: ShippedSoundPromise.all)
  func `a sound is as long as its kind should be`(promise: ShippedSoundPromise) throws {
    let seconds = try ShippedSound(promise.name).seconds
    #expect(promise.seconds.contains(seconds), "\(promise.name) lasts \(seconds) s, not \(promise.seconds)")
  }

  @Test(arguments: ShippedSoundPromise.all)
  func `no peak is above -6 dBFS, so two sounds that meet stay below full scale`(
    promise: ShippedSoundPromise
  ) throws {
    let peak = try ShippedSound(promise.name).peak
    #expect(peak <= -6, "\(promise.name) peaks at \(peak) dBFS: give its blows more life or a softer attack")
  }

  @Test(arguments: ShippedSoundPromise.all)
  func `a sound has no DC`(promise: ShippedSoundPromise) throws {
    let samples = try ShippedSound(promise.name).samples
    let mean = samples.reduce(0, +) / Double(samples.count)
    #expect(abs(mean) < 0.0005, "\(promise.name) has a mean of \(mean)")
  }

  @Test(arguments: ShippedSoundPromise.all)
  func `a sound begins and ends without a click`(promise: ShippedSoundPromise) throws {
    let sound = try ShippedSound(promise.name)
    let samples = sound.samples
    #expect(sound.stored.first == 0)
    #expect(sound.stored.last == 0)

    // Made without their attacks, all of these sounds reach -18 dB of their peak or more within 0.1 ms.
    let onset = ShippedSound.decibels(samples.prefix(6).map(abs).max() ?? 0) - sound.peak
    #expect(onset < -24, "\(promise.name) reaches \(onset) dB of its peak within 0.1 ms: its attack is too hard")
    let end = ShippedSound.decibels(samples.suffix(48).map(abs).max() ?? 0)
    #expect(end < -60, "\(promise.name) still stands at \(end) dBFS in its last millisecond")
  }

  @Test(arguments: ShippedSoundPromise.all)
  func `a sound is as loud as its tier`(promise: ShippedSoundPromise) throws {
    let loudness = try ShippedSound(promise.name).loudness
    let off = promise.tier.loudness - loudness
    #expect(
      abs(off) <= promise.tier.tolerance,
      "\(promise.name) has \(loudness) LKFS: add \(off) dB to its level in sounds/make-sounds")
  }

  @Test(arguments: ShippedSoundPromise.Tier.allCases)
  func `the sounds of a tier are even in loudness`(tier: ShippedSoundPromise.Tier) throws {
    let loudness = try ShippedSoundPromise.all.filter { $0.tier == tier }.map { try ShippedSound($0.name).loudness }
    let least = try #require(loudness.min())
    let greatest = try #require(loudness.max())
    #expect(greatest - least <= tier.spread)
  }

  @Test(arguments: ShippedSoundPromise.all.filter { $0.direction != .neither })
  func `a melody goes where its meaning goes`(promise: ShippedSoundPromise) throws {
    let sound = try ShippedSound(promise.name)
    let first = sound.spectrum(of: 0..<0.25).dominantFrequency
    let last = sound.spectrum(of: 0.5..<1).dominantFrequency
    switch promise.direction {
    case .up: #expect(last > first * 1.1, "\(promise.name) goes from \(first) Hz to \(last) Hz")
    case .down: #expect(last < first / 1.1, "\(promise.name) goes from \(first) Hz to \(last) Hz")
    case .neither: break
    }
  }

  @Test func `press ends above release, whose knock lies higher`() throws {
    let press = try ShippedSound("press")
    let release = try ShippedSound("release")
    #expect(press.spectrum(of: 0.4..<1).dominantFrequency > release.spectrum(of: 0.4..<1).dominantFrequency * 1.1)
    #expect(press.spectrum(of: 0..<0.25).dominantFrequency < release.spectrum(of: 0..<0.25).dominantFrequency / 1.1)
  }

  @Test func `the worse the outcome, the lower`() throws {
    let centroids = try ["success", "warning", "error"].map { try ShippedSound($0).spectrum().centroid }
    #expect(centroids == centroids.sorted(by: >))
  }

  @Test func `a heavier impact is lower and longer`() throws {
    let impacts = try ["impact-light", "impact-medium", "impact-heavy"].map { try ShippedSound($0) }
    let pitches = impacts.map { $0.spectrum().dominantFrequency }
    #expect(pitches == pitches.sorted(by: >))
    let lengths = impacts.map(\.seconds)
    #expect(lengths == lengths.sorted())
  }

  @Test func `a harder impact is brighter`() throws {
    let centroids = try ["impact-rigid", "impact-solid", "impact-soft"].map { try ShippedSound($0).spectrum().centroid }
    #expect(centroids == centroids.sorted(by: >))
  }

  @Test func `no two sounds are alike`() throws {
    let profiles = try ShippedSoundPromise.all.map { ($0.name, SoundProfile(try ShippedSound($0.name))) }
    for (index, (name, profile)) in profiles.enumerated() {
      for (otherName, other) in profiles[(index + 1)...] {
        let likeness = profile.likeness(to: other)
        #expect(likeness < 0.9, "\(name) and \(otherName) are alike: \(likeness)")
      }
    }
  }

  @Test func `the alarm loops without a seam`() throws {
    let once = try ShippedSound("alarm").samples
    let loop = once + once + once
    let steps = zip(loop.dropFirst(), loop).map { $0 - $1 }
    let bends = zip(steps.dropFirst(), steps).map { $0 - $1 }
    let seam = once.count - 1
    // Inside: one repetition, away from its ends.
    let inside = 1..<(once.count - 2)
    #expect(abs(steps[seam]) <= (inside.map { abs(steps[$0]) }.max() ?? 0))
    #expect(abs(bends[seam - 1]) <= (inside.map { abs(bends[$0]) }.max() ?? 0))
    #expect(abs(bends[seam]) <= (inside.map { abs(bends[$0]) }.max() ?? 0))

    // A click is energy high up: in 10 ms around each seam there is less of it than around the alarm's own strokes.
    func clicks(around centre: Int) -> Double {
      PowerSpectrum(loop[(centre - 240)..<(centre + 240)], rate: 48_000, size: 512).power(in: 10_000..<24_000)
    }
    let own = stride(from: 480, to: once.count - 480, by: 240).map { clicks(around: $0) }.max() ?? 0
    #expect(own > 0)
    #expect(clicks(around: once.count) <= own)
    #expect(clicks(around: 2 * once.count) <= own)
  }

  @Test func `the table in the README gives what is measured`() throws {
    let text = try String(contentsOf: ShippedSound.folder.appending(path: "README.md"), encoding: .utf8)
    for promise in ShippedSoundPromise.all {
      let sound = try ShippedSound(promise.name)
      let figures = [
        String(format: "%.0f", sound.seconds * 1000), String(format: "%.1f", sound.peak),
        String(format: "%.1f", sound.loudness),
      ]
      let row = text.split(separator: "\n").first { $0.hasPrefix("| `\(promise.name)` |") }
      let cells = try #require(row, "no row for \(promise.name)").split(separator: "|")
        .map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(Array(cells.suffix(3)) == figures, "\(promise.name): length, peak, loudness")
    }
  }

  @Test func `each sound has a meaning, with which its row in the README begins`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: ShippedSound.folder.path)
    let names = files.filter { $0.hasSuffix(".wav") }.map { String($0.dropLast(4)) }
    #expect(Set(ShippedSounds.meanings.keys) == Set(names))
    let text = try String(contentsOf: ShippedSound.folder.appending(path: "README.md"), encoding: .utf8)
    for (name, meaning) in ShippedSounds.meanings {
      #expect(text.contains("| `\(name)` | \(meaning)"), "\(name)")
      // `soundd sounds` shows it in 80 columns.
      #expect(meaning.count <= 50)
    }
    #expect(ShippedSounds.meaning(of: "dialog-error") == ShippedSounds.meanings["error"])
    #expect(ShippedSounds.meaning(of: "door") == nil)
  }

  @Test func `the sounds are dedicated to the public domain`() throws {
    for name in ["LICENSE", "README.md"] {
      let text = try String(contentsOf: ShippedSound.folder.appending(path: name), encoding: .utf8)
      #expect(text.contains("CC0 1.0"), "\(name)")
    }
    let licence = try String(contentsOf: ShippedSound.folder.appending(path: "LICENSE"), encoding: .utf8)
    #expect(licence.contains("https://creativecommons.org/publicdomain/zero/1.0/"))
  }

  private func littleEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
