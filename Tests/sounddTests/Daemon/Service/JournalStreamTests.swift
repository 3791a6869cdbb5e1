import Foundation
import TestSupport
import Testing

@testable import soundd

@Suite struct JournalStreamTests {
  let file: FileHandle
  let name: String

  init() throws {
    let folder = TemporaryFolder()
    try #require(FileManager.default.createFile(atPath: folder("log"), contents: nil))
    file = try #require(FileHandle(forWritingAtPath: folder("log")))
    // Asked of another program, as the service manager would tell it.
    let stat = try #require(popen("stat --format=%d:%i '\(folder("log"))'", "r"))
    defer { pclose(stat) }
    var line = [CChar](repeating: 0, count: 100)
    try #require(fgets(&line, Int32(line.count), stat) != nil)
    name = String(decoding: line.prefix { $0 > 32 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  @Test func `the stream that the variable names is the journal's`() {
    #expect(JournalStream.isJournal(file.fileDescriptor, variable: name))
  }

  @Test func `an inherited variable says nothing about another stream`() {
    #expect(!JournalStream.isJournal(FileHandle.nullDevice.fileDescriptor, variable: name))
    #expect(!JournalStream.isJournal(-1, variable: name))
  }

  @Test(arguments: ["", ":", "1", "1:", ":2", "1:2:3", "a:b", "-1:-1", "99999999999999999999:1"])
  func `a damaged variable is no journal`(_ damaged: String) {
    #expect(!JournalStream.isJournal(file.fileDescriptor, variable: damaged))
  }

  @Test func `without the variable there is no journal`() {
    #expect(!JournalStream.isJournal(file.fileDescriptor, variable: nil))
  }
}
