import Foundation
import TestSupport
import Testing

@testable import soundd

/// The recipes inside the program are the files of `examples/`.
struct BuiltInRecipesTests {
  private static let folder = Repository.root.appending(path: "examples").path

  @Test func `each file of an example is built in, with its bytes and its mode, and no other`() throws {
    let manager = FileManager.default
    let paths = try manager.subpathsOfDirectory(atPath: Self.folder).filter { path in
      // The library's programs and the demonstration belong to the sources.
      !path.hasPrefix("library/") && !path.hasPrefix("demo/")
        && (try? manager.attributesOfItem(atPath: "\(Self.folder)/\(path)")[.type] as? FileAttributeType)
          == .typeRegular
    }
    let files = BuiltInRecipes.files
    #expect(files.map(\.path) == paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    for file in files {
      let path = "\(Self.folder)/\(file.path)"
      #expect(manager.contents(atPath: path) == Data(file.bytes), "\(file.path)")
      #expect(manager.isExecutableFile(atPath: path) == file.isExecutable, "\(file.path)")
    }
  }

  @Test func `a recipe needs no file beside the program`() throws {
    #expect(
      String(decoding: BuiltInRecipes.first, as: UTF8.self).hasPrefix("# The configuration that `soundd init` writes"))
    for recipe in BuiltInRecipes.all {
      for step in recipe.steps where [.file, .merge].contains(step.kind) {
        #expect(recipe.files[step.source] != nil, "\(recipe.name): \(step.source)")
      }
      #expect(!recipe.about.hasSuffix(" ") && !recipe.about.contains("\n"))
    }
  }

  @Test func `a step that does not ask is soundd's own`() {
    for recipe in BuiltInRecipes.all {
      for step in recipe.steps where !step.asks && step.kind == .file {
        let own = ["$XDG_DATA_HOME/soundd/bin/", "$XDG_CONFIG_HOME/soundd/", "$XDG_CONFIG_HOME/systemd/user/soundd"]
        #expect(own.contains { step.path.hasPrefix($0) }, "\(recipe.name): \(step.path)")
      }
    }
  }
}
