import ArgumentParser
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// What `soundd help COMMAND` prints.
@Suite struct HelpTests {
  private static let commands: [any ParsableCommand.Type] = [Soundd.self] + Soundd.configuration.subcommands

  @Test func `every help text fits a terminal of 80 columns`() {
    for command in Self.commands {
      let help =
        command == Soundd.self ? Soundd.helpMessage(columns: 80) : Soundd.helpMessage(for: command, columns: 80)
      #expect(help.contains("OVERVIEW"))
      for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(command): \(line)") }
    }
  }

  @Test func `lines of a discussion break where sentences do`() {
    for command in Self.commands {
      let lines = command.configuration.discussion.split(separator: "\n")
      for line in lines { #expect(line.count <= 80, "\(command): \(line)") }
    }
  }

  /// A command and the heading of its group.
  private struct Entry: Hashable {
    var group: String
    var command: String
  }

  @Test func `the help has the groups of the manual page with their commands, in its order`() throws {
    let mark = " SUBCOMMANDS:"
    var groups: [String] = []
    var help: [Entry] = []
    for line in Soundd.helpMessage(columns: 80).split(separator: "\n") {
      if line.hasSuffix(mark) {
        groups.append(String(line.dropLast(mark.count)))
      } else if let group = groups.last, line.hasPrefix("  "), !line.hasPrefix("   "), !line.hasPrefix("  See ") {
        help.append(Entry(group: group, command: String(line.split(separator: " ")[0])))
      }
    }
    // The page has an entry for each form of a command. The help does not list itself.
    var page: [Entry] = []
    for item in try ManualPage("soundd.1").items("COMMANDS") {
      guard let command = item.tagged("Ic").first, command != "help" else { continue }
      let entry = Entry(group: item.part.uppercased(), command: command)
      if page.last != entry { page.append(entry) }
    }
    #expect(help == page)
    #expect(Set(groups).count == groups.count)
    #expect(Set(help.map(\.command)).count == Soundd.configuration.subcommands.count)
  }

  @Test func `the completion knows each command that the help shows`() throws {
    let commands = Soundd.configuration.subcommands.compactMap { $0.configuration.commandName }
    #expect(try CommandSyntax.all().dropFirst().map(\.name) == commands + ["help"])
  }

  @Test(arguments: [
    (["play", "--frob"], "Unknown option '--frob'"), (["get", "--unheard-of"], "Unknown option '--unheard-of'"),
    (["play"], "Missing expected argument '<sound>'"), (["volume", "-x"], "Unknown option '-x'"),
    (["watch", "tick", "--loop"], "--loop needs --to, --above, --below or --matches: a condition that ends"),
    (["stauts"], "there is no command 'stauts' (did you mean 'status'?); 'soundd help' lists the commands"),
    (["start"], "there is no command 'start' (did you mean 'run'?); 'soundd help' lists the commands"),
    (["version"], "there is no command 'version' (did you mean '--version'?); 'soundd help' lists the commands"),
    (["help", "plya"], "there is no command 'plya' (did you mean 'play'?); 'soundd help' lists the commands"),
    (["help", "set", "get"], "'soundd help' explains one command: soundd help set"),
  ])
  func `an error names what is wrong with the command line`(arguments: [String], message: String) {
    let error = #expect(throws: (any Error).self) { try Soundd.command(arguments) }
    let text = error.map { ($0 as? Failure)?.description ?? Soundd.message(for: $0) }
    #expect(text == message)
  }

  @Test func `the version has two options`() {
    for option in ["-V", "--version"] {
      let error = #expect(throws: (any Error).self) { try Soundd.command([option]) }
      #expect(error.map { Soundd.fullMessage(for: $0) } == Daemon.version)
    }
  }
}
