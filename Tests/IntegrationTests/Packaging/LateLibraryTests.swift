import Foundation
import TestSupport
import Testing

/// The libraries that soundd opens late, in the sources, in the notes of the program (`.note.dlopen`) and in the Debian package.
@Suite(.disabled(if: isSanitized, "the Address Sanitizer pads the notes in the program"))
struct LateLibraryTests {
  private struct Library: Hashable, Comparable {
    var soname: String
    var priority: String
    static func < (left: Library, right: Library) -> Bool { left.soname < right.soname }
  }

  /// An object of the note, as the specification of ELF dlopen metadata has it.
  private struct Note: Decodable {
    var feature: String
    var description: String
    var priority: String
    var soname: [String]
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(Home.checkout)/\(path)", encoding: .utf8)
  }

  /// The C files of the sources, by their path.
  private func sources() throws -> [String: String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: Home.checkout + "/Sources")
      .filter { $0.hasSuffix(".c") || $0.hasSuffix(".h") }
    return try Dictionary(uniqueKeysWithValues: paths.map { ($0, try text("Sources/\($0)")) })
  }

  /// The string literals in the parentheses after each use of a macro.
  private func literals(of macro: String, in source: String) -> [[String]] {
    source.components(separatedBy: "\n\(macro)(").dropFirst().map { rest in
      let parts = rest.prefix { $0 != ")" }.split(separator: "\"", omittingEmptySubsequences: false)
      return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
    }
  }

  // MARK: What is in an ELF file

  /// The contents of the notes in a section, which all must have this owner and type.
  private func notes(of section: String, owner: String, type: UInt32, in file: String) throws -> [Data] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Int {
      Int(Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }))
    }
    // The 64-bit ELF header, then the section headers: see elf(5).
    try #require(bytes.prefix(5) == Data([0x7F, 0x45, 0x4C, 0x46, 2]))
    let (table, size) = (number(0x28, UInt64.self), number(0x3A, UInt16.self))
    let headers = (0..<number(0x3C, UInt16.self)).map { table + $0 * size }
    let names = number(headers[number(0x3E, UInt16.self)] + 0x18, UInt64.self)
    let header = try #require(
      headers.first { header in
        bytes[(names + number(header, UInt32.self))...].prefix { $0 != 0 } == Data(section.utf8)
      }, "there is no \(section)")
    try #require(number(header + 4, UInt32.self) == 7, "\(section) is not of the type SHT_NOTE")

    var place = number(header + 0x18, UInt64.self)
    let end = place + number(header + 0x20, UInt64.self)
    var contents: [Data] = []
    while place < end {
      let (ownerSize, contentSize) = (number(place, UInt32.self), number(place + 4, UInt32.self))
      #expect(number(place + 8, UInt32.self) == Int(type))
      #expect(bytes[(place + 12)...].prefix(ownerSize) == Data(owner.utf8) + [0])
      place += 12 + (ownerSize + 3) / 4 * 4
      contents.append(bytes[place..<place + contentSize])
      place += (contentSize + 3) / 4 * 4
    }
    return contents
  }

  private func noted() throws -> [Library] {
    try notes(of: ".note.dlopen", owner: "FDO", type: 0x407c_0c0a, in: Home.soundd).flatMap { content in
      try #require(content.last == 0, "a text that ends with 0")
      return try JSONDecoder().decode([Note].self, from: content.dropLast()).map { note in
        #expect(!note.feature.isEmpty && !note.description.isEmpty)
        return Library(soname: try #require(note.soname.first), priority: note.priority)
      }
    }.sorted()
  }

  // MARK: The tests

  @Test func `the program has a note about each library that it opens`() throws {
    var opened: [Library] = []
    for (_, source) in try sources() {
      for literals in literals(of: "CALSA_LIBRARY", in: source) {
        opened.append(Library(soname: literals[0], priority: literals[2]))
      }
      for literals in literals(of: "CLINUX_DLOPEN_NOTE", in: source) {
        let name = try #require(source.components(separatedBy: "#define LIBRARY \"").dropFirst().first)
        opened.append(Library(soname: String(name.prefix { $0 != "\"" }), priority: literals[0]))
      }
    }
    #expect(opened.count == 5)
    #expect(try noted() == opened.sorted())
  }

  @Test func `no library is opened in another way`() throws {
    let calls = try sources().filter { $0.value.contains("dlopen(") }.mapValues { source in
      source.components(separatedBy: "dlopen(").dropFirst().map { String($0.prefix { $0 != "," }) }
    }
    // soundd uses nothing of libjack but its messages, and only where ALSA's plugin needs it.
    #expect(
      calls == [
        "CALSA/late.c": ["library"], "CALSA/calsa.c": ["\"libjack.so.0\""], "CLinux/rtkit.c": ["LIBRARY"],
      ])
  }

  /// Debian's policy, 8.1: the name of a library's package is made from its soname.
  private func package(of soname: String) throws -> String {
    let parts = soname.components(separatedBy: ".so.")
    try #require(parts.count == 2)
    return parts[0] + (parts[0].last?.isNumber == true ? "-" : "") + parts[1]
  }

  @Test func `the Debian package recommends and suggests what the notes do`() throws {
    var fields: [String: [String]] = [:]
    var field = ""
    for line in try text("packaging/debian/control").split(separator: "\n") where !line.hasPrefix("#") {
      if !line.hasPrefix(" ") { field = String(line.prefix { $0 != ":" }) }
      let value = line.hasPrefix(" ") ? line : line.drop { $0 != ":" }.dropFirst()
      // Of alternatives, one is the library's package.
      fields[field, default: []] += value.split(separator: ",").flatMap { $0.split(separator: "|") }
        .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
    let noted = try noted()
    func packages(_ priority: String) throws -> Set<String> {
      Set(try noted.filter { $0.priority == priority }.map { try package(of: $0.soname) })
    }
    let recommended = Set(fields["Recommends", default: []]), suggested = Set(fields["Suggests", default: []])
    // The others are programs and plugins.
    #expect(
      try recommended.subtracting(["libasound2t64", "pipewire-alsa", "pulseaudio"]) == packages("recommended"))
    #expect(try suggested.subtracting(["espeak-ng", "rtkit"]) == packages("suggested"))
  }

  @Test func `the Debian package recommends what leads from ALSA to PipeWire, but not to users of PulseAudio`() throws {
    let line = try #require(
      text("packaging/debian/control").split(separator: "\n").first { $0.contains("pipewire-alsa |") })
    // Debian's pipewire-alsa conflicts with pulseaudio: of alternatives apt takes the first, unless one is installed.
    #expect(line == " pipewire-alsa | pulseaudio")
  }

  @Test func `an error names the Debian package of a library that is missing`() throws {
    let uses = try sources().values.flatMap { literals(of: "CALSA_LIBRARY", in: $0) }
    #expect(uses.count == 4)
    for literals in uses { #expect(literals[1] == (try package(of: literals[0]))) }
  }
}
