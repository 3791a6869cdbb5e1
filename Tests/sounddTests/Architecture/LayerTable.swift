/// The tables of ARCHITECTURE.md: who may name and import whom, and where C is called.
struct LayerTable {
  struct Layer {
    /// The folders whose types may be named.
    var names: Set<String>
    var modules: Set<String>
  }

  /// By the folder's name.
  private(set) var layers: [String: Layer] = [:]
  /// By the beginning of a C function's name: the folders that may call it.
  private(set) var callers: [String: Set<String>] = [:]

  /// Reads the two tables with the headings below; in their cells counts what stands between backticks.
  init(markdown: String) {
    var heading = ""
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        heading = ""
        continue
      }
      let cells = line.split(separator: "|").map(String.init)
      if heading.isEmpty { heading = cells.first.map { $0.filter { $0 != " " } } ?? "" }
      guard let first = cells.first.flatMap({ Self.quoted($0).first }) else { continue }
      if heading == "folder", cells.count == 3 {
        layers[first] = Layer(names: Set(Self.quoted(cells[1])), modules: Set(Self.quoted(cells[2])))
      } else if heading == "Ccalls", cells.count == 2 {
        for prefix in Self.quoted(cells[0]) { callers[prefix] = Set(Self.quoted(cells[1])) }
      }
    }
  }

  /// The words between backticks.
  private static func quoted(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}
