import Foundation
import Testing

/// The JSON Schema of the configuration, as a tree.
struct ConfigurationSchema {
  static let path = "docs/config.schema.json"

  private let document: [String: Any]

  init() throws {
    let data = try Data(contentsOf: Repository.root.appending(path: Self.path))
    document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// The schema of a table: of `output`, `limits`, `profile`, `sounds`, of one `value` or one `trigger`; `""`: the document.
  func table(_ name: String) throws -> [String: Any] {
    if name.isEmpty { return document }
    let parent = ["value", "trigger", "feed"].contains(name) ? "definitions" : "properties"
    return try #require((document[parent] as? [String: Any])?[name] as? [String: Any])
  }

  /// The keys that a table may have, each with its schema.
  func keys(of table: String) throws -> [String: [String: Any]] {
    try self.table(table)["properties"] as? [String: [String: Any]] ?? [:]
  }
}
