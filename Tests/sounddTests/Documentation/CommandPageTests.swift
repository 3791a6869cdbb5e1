import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import soundd

/// soundd(1) has everything that the program has, and nothing else.
struct CommandPageTests {
  /// A command or an option, as `--experimental-dump-help` shows it.
  private struct Dump: Decodable {
    struct Name: Decodable {
      let name: String
    }
    struct Argument: Decodable {
      let kind: String
      let names: [Name]?
      let defaultValue: String?

      /// Such as `o` and `-output`, as mdoc has them.
      var flags: [String] { (names ?? []).map { $0.name.count == 1 ? $0.name : "-\($0.name)" } }
    }
    struct Command: Decodable {
      let commandName: String
      let arguments: [Argument]?
      let subcommands: [Command]?

      var options: [Argument] { (arguments ?? []).filter { $0.kind != "positional" } }
    }
    let command: Command
  }

  private let page: ManualPage
  private let program: Dump.Command

  init() throws {
    page = try ManualPage("soundd.1")
    program = try JSONDecoder().decode(Dump.self, from: Data(Soundd._dumpHelp().utf8)).command
  }

  private var commands: [Dump.Command] { program.subcommands ?? [] }
  /// The options that the page describes once for several commands.
  private var shared: [ManualPage.Item] { page.items("OPTIONS") }

  /// The options that the page describes for a command, as entries of their own or beside its name.
  private func options(of command: String) -> [ManualPage.Item] {
    page.items.filter { Array(($0.around + [$0.tag])[0].prefix(2)) == ["Ic", command] }
  }

  @Test func `the page has each command, and no other`() {
    #expect(Set(page.items("COMMANDS").flatMap { $0.tagged("Ic").prefix(1) }) == Set(commands.map(\.commandName)))
  }

  @Test func `each option of a command is described with it, or once for several`() {
    for command in commands {
      let described = (options(of: command.commandName) + shared).flatMap { $0.tagged("Fl") }
      for option in command.options {
        #expect(Set(option.flags).isSubset(of: described), "\(command.commandName) \(option.flags)")
      }
    }
    #expect(Set(program.options.flatMap(\.flags)).isSubset(of: shared.flatMap { $0.tagged("Fl") }))
  }

  @Test func `each option that the page describes exists`() {
    for command in commands {
      let existing = command.options.flatMap(\.flags)
      for item in options(of: command.commandName) {
        #expect(Set(item.tagged("Fl")).isSubset(of: existing), "\(command.commandName) \(item.tag)")
      }
    }
    for item in shared {
      let flags = Set(item.tagged("Fl"))
      let owners = commands.filter { flags.isSubset(of: $0.options.flatMap(\.flags)) }
      let isOfProgram = flags.isSubset(of: program.options.flatMap(\.flags))
      #expect(owners.count > 1 || isOfProgram, "\(item.tag) is no option of several commands")
    }
  }

  @Test func `the default of an option is described`() {
    for command in commands {
      for option in command.options {
        guard let value = option.defaultValue else { continue }
        let item = (options(of: command.commandName) + shared).first {
          !Set($0.tagged("Fl")).isDisjoint(with: option.flags)
        }
        let words = item?.words ?? []
        #expect(
          words.contains { $0.hasPrefix("default") } && words.contains(value),
          "\(command.commandName) \(option.flags): \(value)")
      }
    }
  }

  @Test func `a command in an example exists, and so do its options`() {
    for display in page.displays {
      for line in display.split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        guard let start = words.firstIndex(of: "soundd"), start + 1 < words.count, !line.contains("systemctl") else {
          continue
        }
        if line.contains("journalctl") { continue }
        let command = commands.first { $0.commandName == words[start + 1] }
        #expect(command != nil, "\(line)")
        let flags = words[(start + 2)...].filter { $0.hasPrefix("-") && $0.count > 1 }.map { String($0.dropFirst()) }
        #expect(Set(flags).isSubset(of: command?.options.flatMap(\.flags) ?? []), "\(line)")
      }
    }
  }

  // MARK: What surrounds the program

  @Test func `the page has each variable that the sources read, and no other`() throws {
    let reading = /(?:getenv|variable|environment|absolutePath)\("([A-Z_]+)"\)|variables\["([A-Z_]+)"\]/
    let folder = /case \w+ = "(XDG_[A-Z_]+)"/
    var read: Set<String> = []
    let files =
      try Repository.files(in: "Sources", suffix: ".swift") + Repository.files(in: "Sources", suffix: ".c")
    for file in files {
      let text = try Repository.text(file)
      read.formUnion(text.matches(of: reading).compactMap { ($0.1 ?? $0.2).map(String.init) })
      read.formUnion(text.matches(of: folder).map { String($0.1) })
    }
    #expect(Set(page.items("ENVIRONMENT").flatMap { $0.tagged("Ev") }) == read)
  }

  @Test func `the page has each exit code, and no other`() {
    let codes = [0] + (1...255).filter { Failure.Code(rawValue: $0) != nil }
    #expect(page.items("EXIT STATUS").flatMap { $0.tagged("Er") } == codes.map(String.init))
  }

  @Test func `the page has each signal that the daemon handles, and no other`() throws {
    let handled = try Repository.text("Sources/soundd/Loop/SignalSource.swift").matches(of: /\bSIG[A-Z]+\b/)
    #expect(Set(page.items("SIGNALS").flatMap { $0.tagged("Dv") }) == Set(handled.map { String($0.0) }))
  }
}
