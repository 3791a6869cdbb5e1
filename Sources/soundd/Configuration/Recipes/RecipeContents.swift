import SoundTrigger

/// What a recipe adds to a file, and the content of the file with it and without it.
struct RecipeContents {
  var kind: Recipe.Kind
  var addition: [UInt8]

  /// The first line of a hook that soundd makes.
  private static let shebang = Array("#!/bin/sh\n".utf8)
  private static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

  /// The settings of git that an addition lists, one `NAME=VALUE` per line.
  static func settings(_ addition: String) -> [(name: String, value: String)] {
    addition.split(separator: "\n").map { line in
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
  }

  /// The content of a file with the addition; `old` is `nil` if there is no file.
  func added(to old: [UInt8]?, _ path: String) throws(Failure) -> [UInt8] {
    switch kind {
    case .file, .folder, .setting: addition
    case .merge: try merged(into: old ?? [], path)
    case .line: appended(to: old ?? [])
    case .hook: appended(to: old.flatMap { $0.isEmpty ? nil : $0 } ?? Self.shebang)
    }
  }

  /// The content without the addition, empty if that was all; `nil` if it cannot be told.
  func taken(outOf bytes: [UInt8]) -> [UInt8]? {
    switch kind {
    case .file, .folder, .setting: return nil
    case .line, .hook:
      guard let range = range(in: bytes) else { return bytes }
      let rest = Array(bytes[..<range.lowerBound] + bytes[range.upperBound...])
      return kind == .hook && rest == Self.shebang ? [] : rest
    case .merge:
      let (mark, text) = Self.split(bytes)
      guard let tree = try? JSONTree(text), let added = try? JSONTree(addition) else { return nil }
      guard let rest = tree.removing(added) else { return [] }
      return rest == tree ? bytes : mark + Self.written(rest, as: text)
    }
  }

  /// The addition for people, a line each.
  var lines: [String] {
    let text = String(decoding: addition, as: UTF8.self)
    switch kind {
    case .merge: return mergedLines
    case .file:
      let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
      return lines.count > 12 ? ["a new file, \(lines.count) lines"] : lines
    case .folder, .line, .hook, .setting: return text.split(separator: "\n").map(String.init)
    }
  }

  // MARK: JSON

  /// What is added, once for all places that get the same.
  private var mergedLines: [String] {
    let leaves = (try? JSONTree(addition))?.leaves ?? []
    let texts = leaves.map(\.text).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return texts.map { text in
      leaves.filter { $0.text == text }.map(\.path).joined(separator: ", ") + ": " + text
    }
  }

  private func merged(into old: [UInt8], _ path: String) throws(Failure) -> [UInt8] {
    let (mark, text) = Self.split(old)
    let (tree, before): (JSONTree, JSONTree)
    do throws(JSONError) {
      tree = try JSONTree(addition)
      if text.allSatisfy(Self.blanks.contains) { return mark + Array((tree.text() + "\n").utf8) }
      before = try JSONTree(text)
    } catch {
      throw Failure(.refused, "\(path) is not valid JSON: \(error): correct it first")
    }
    do throws(JSONTree.Conflict) {
      let new = try before.adding(tree)
      return new == before ? old : mark + Self.written(new, as: text)
    } catch {
      let part = error.path.isEmpty ? "it" : "'\(error.path)'"
      throw Failure(.refused, "\(path): \(part) is of another kind than the hooks need")
    }
  }

  /// The byte order mark that some editors write, and the text.
  private static func split(_ bytes: [UInt8]) -> (mark: [UInt8], text: [UInt8]) {
    let length = ByteOrderMark.length(in: bytes.span)
    return (Array(bytes[..<length]), Array(bytes[length...]))
  }

  /// With the indentation and the line breaks of the old text, and with its last line break.
  private static func written(_ tree: JSONTree, as old: [UInt8]) -> [UInt8] {
    let blanks = old.drop { $0 != 10 }.drop { $0 == 10 || $0 == 13 }.prefix { $0 == 32 || $0 == 9 }
    let indent = blanks.isEmpty ? "  " : String(decoding: blanks, as: UTF8.self)
    let text = Array((tree.text(indent: indent) + (old.last == 10 ? "\n" : "")).utf8)
    let first = old.firstIndex(of: 10)
    guard let first, first > 0, old[first - 1] == 13 else { return text }
    return text.flatMap { $0 == 10 ? [13, 10] : [$0] }
  }

  // MARK: Lines

  private func appended(to old: [UInt8]) -> [UInt8] {
    if range(in: old) != nil { return old }
    return old + (old.isEmpty || old.last == 10 ? [] : [10]) + addition + [10]
  }

  private func range(in bytes: [UInt8]) -> Range<Int>? {
    bytes.ranges(of: addition + [10]).first { $0.lowerBound == 0 || bytes[$0.lowerBound - 1] == 10 }
  }
}
