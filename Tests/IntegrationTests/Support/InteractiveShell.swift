import Foundation

/// A shell at a terminal of its own, in which a test types.
///
/// `soundd` is a function there: it shows the arguments that a line has after its completion, and runs nothing.
final class InteractiveShell {
  /// The shells that have completions.
  enum Kind: String, CaseIterable {
    case bash, zsh, fish
  }

  private let home: Home
  private let program: Program
  private var count = 0

  init(_ kind: Kind, in home: Home) throws {
    self.home = home
    let completions = Home.checkout + "/completions"
    try FileManager.default.createDirectory(atPath: home("bin"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: home("bin/soundd"), withDestinationPath: Home.soundd)
    let show = #"printf '%s|' "" "$@"; echo"#
    let (line, setUp) =
      switch kind {
      case .bash: ("bash --norc --noprofile -i", ". \(completions)/soundd.bash; soundd() { \(show); }")
      case .zsh:
        (
          "zsh -f -i",
          "fpath=(\(completions) $fpath); autoload -U compinit; compinit -u -D; soundd() { \(show) }"
        )
      case .fish:
        ("fish --no-config -i", "source \(completions)/soundd.fish; function soundd; printf '%s|' '' $argv; echo; end")
      }
    program = try home.start(
      program: "/usr/bin/script", ["-q", "-c", line, "/dev/null"], input: .pipe,
      environment: ["TERM": "dumb", "PATH": home("bin") + ":/usr/bin:/bin"])
    try run(setUp)
  }

  /// The arguments of a line after a press of the tab key at its end.
  func complete(_ line: String) throws -> [String] {
    let start = program.text.count
    try run(line + "\t")
    // The last line that the function has printed; the terminal shows the typed line, too.
    let lines = program.text.dropFirst(start).split { $0.isNewline }
    let shown = lines.last { $0.hasPrefix("|") } ?? ""
    return shown.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map(String.init)
  }

  /// Runs a line and waits for its end.
  private func run(_ line: String) throws {
    count += 1
    // The mark is not printed as it is typed, because the terminal echoes the line.
    program.write(line + " ; printf 'end%s.' \(count)\r")
    try program.waitForOutput(containing: "end\(count).")
  }
}
