import Foundation
import TestSupport
import Testing

private let hasHeaders = ["alsa/asoundlib.h", "sndfile.h", "soxr.h", "pcre2.h"].allSatisfy {
  FileManager.default.fileExists(atPath: "/usr/include/" + $0)
}

/// Our own declarations of the libraries that are opened late, beside the libraries' own headers. The compiler compares.
@Suite(.enabled(if: hasHeaders, "the headers of the libraries are not installed"))
struct LibraryDeclarationTests {
  private static let folder = Home.checkout + "/Sources/CALSA/include"
  private static let theirs = """
    #define PCRE2_CODE_UNIT_WIDTH 8
    #include <alsa/asoundlib.h>
    #include <pcre2.h>
    #include <sndfile.h>
    #include <soxr.h>

    """

  /// What the compiler says about a source; nothing if it is right.
  private func errors(_ source: String) throws -> String {
    let folder = TemporaryFolder()
    let file = folder.write("check.c", source)
    let output = Pipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["clang", "-std=gnu17", "-fsyntax-only", "-Wall", "-Werror", "-I", Self.folder, file]
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text + (process.terminationStatus == 0 ? "" : "exit \(process.terminationStatus)")
  }

  /// Compares all types and constants of a header like `library_types.h` with those of the libraries.
  private func errorsInTypes(_ header: String) throws -> String {
    let constants = Set(header.matches(of: /\b(?:SND|SFM?|SFC|PCRE2)_[A-Z0-9_]+\b(?=\s*=)/).map { String($0.output) })
    let enumerations = header.matches(of: /typedef enum \{[^}]*\} (\w+);/).map { String($0.output.1) }
    let structures = header.matches(of: /typedef struct \{([^}]*)\} (\w+);/).map { match in
      (name: String(match.output.2), members: match.output.1.matches(of: /(\w+);/).map { String($0.output.1) })
    }
    try #require(constants.count > 30 && enumerations.count == 7 && structures.count == 3)
    // Ours get other names, so that both stand in one file.
    let names = constants.sorted() + enumerations + structures.map(\.name)
    let before = names.map { "#pragma push_macro(\"\($0)\")\n#undef \($0)\n#define \($0) ours_\($0)\n" }
    let after = names.map { "#pragma pop_macro(\"\($0)\")\n" }
    var checks = constants.sorted().map { "_Static_assert((long)(ours_\($0)) == (long)(\($0)), \"\($0)\");\n" }
    for name in enumerations {
      checks.append("_Static_assert(sizeof(ours_\(name)) == sizeof(\(name)), \"\(name)\");\n")
      checks.append("_Static_assert(((ours_\(name))-1 < 0) == ((\(name))-1 < 0), \"\(name)\");\n")
    }
    for (name, members) in structures {
      checks.append("_Static_assert(sizeof(ours_\(name)) == sizeof(\(name)), \"\(name)\");\n")
      for member in members {
        let (ours, theirs) = ("((ours_\(name) *)0)->\(member)", "((\(name) *)0)->\(member)")
        checks.append(
          """
          _Static_assert(__builtin_types_compatible_p(__typeof__(\(ours)), __typeof__(\(theirs))), "\(member)");
          _Static_assert(__builtin_offsetof(ours_\(name), \(member)) == __builtin_offsetof(\(name), \(member)), "\(member)");

          """)
      }
    }
    // `static const` is no constant expression in C, but clang folds it.
    let folding = "#pragma clang diagnostic ignored \"-Wgnu-folding-constant\"\n"
    return try errors(Self.theirs + folding + before.joined() + header + after.joined() + checks.joined())
  }

  @Test func `each type and constant is that of the library`() throws {
    #expect(try errorsInTypes(try textOfFile(Self.folder + "/library_types.h")) == "")
  }

  @Test func `each function is declared as in the library's header`() throws {
    #expect(try errors(Self.theirs + "#define CALSA_LIBRARY_TYPES_H\n#include \"library_functions.h\"\n") == "")
  }

  @Test(arguments: [
    ("SND_PCM_FORMAT_S24_3LE = 32", "SND_PCM_FORMAT_S24_3LE = 33"), ("PCRE2_UTF = 0x80000", "PCRE2_UTF = 0x8000"),
    ("  SND_PCM_FORMAT_UNKNOWN = -1,\n", ""), ("  int channels;\n  int format;\n", "  int format;\n  int channels;\n"),
    ("  unsigned int first;\n", "  int first;\n"), ("typedef long snd_pcm_sframes_t", "typedef int snd_pcm_sframes_t"),
    ("  uint32_t callout_flags;\n", ""),
  ])
  func `a wrong declaration would be noticed`(right: String, wrong: String) throws {
    let header = try textOfFile(Self.folder + "/library_types.h")
    try #require(header.contains(right))
    #expect(try errorsInTypes(header.replacing(right, with: wrong)) != "")
  }
}
