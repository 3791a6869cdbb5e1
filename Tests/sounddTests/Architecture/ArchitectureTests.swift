import Testing

/// The project's own sources keep the rules of docs/ARCHITECTURE.md.
struct ArchitectureTests {
  /// The sources are read once for all tests.
  private static let shared = Result {
    ArchitectureRules(
      table: LayerTable(markdown: try Repository.text("docs/ARCHITECTURE.md")), files: try SourceFile.all())
  }

  let rules: ArchitectureRules

  init() throws { rules = try Self.shared.get() }

  @Test func `the table has every folder and no other`() {
    #expect(rules.strangers == [])
  }

  @Test func `modules are imported only where the table allows it`() {
    #expect(rules.foreignImports == [])
  }

  @Test func `Foundation is not used at all`() {
    let modules = rules.files.flatMap { file in file.imports.map(\.module) }
    #expect(!modules.contains("Foundation"))
    #expect(!modules.contains("FoundationEssentials"))
  }

  @Test func `types are named only where the table allows it`() {
    #expect(rules.foreignNames == [])
  }

  @Test func `triggers and the mixer know nothing of each other`() {
    #expect(rules.table.layers["Triggers"]?.names.isDisjoint(with: ["Mixer", "Sounds", "Output"]) == true)
    #expect(rules.table.layers["Mixer"]?.names.isDisjoint(with: ["Triggers", "Values"]) == true)
  }

  @Test func `C libraries are called only where the table allows it`() {
    #expect(rules.foreignCalls == [])
    #expect(rules.idleImports == [])
  }

  @Test func `nothing unsafe is public`() {
    #expect(rules.publicUnsafe == [])
  }

  @Test func `no folder has more than 18 files`() {
    #expect(rules.largeFolders == [])
  }

  @Test func `no function is longer than 60 lines`() {
    #expect(rules.longFunctions == [])
  }

  @Test func `nothing ends the process instead of giving an error`() {
    #expect(rules.traps == [])
  }

  @Test func `every unchecked Sendable says why it is safe`() {
    #expect(rules.unprovedSendables == [])
  }
}
