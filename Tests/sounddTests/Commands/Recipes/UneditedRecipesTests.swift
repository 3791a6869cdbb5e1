import Foundation
import SoundTrigger
import Testing

@testable import soundd

/// Recipes that were added and not edited: their user has not named a server, a job or a sensor yet.
struct UneditedRecipesTests {
  /// All recipes, as `soundd add` writes them into an empty home.
  private static func added() throws -> Configuration {
    let rig = try RecipeRig(["bash"])
    try rig.run(rig.add(RecipeTests.all))
    let file = "\(rig.home)/.config/soundd/config.toml"
    let draft = try ConfigurationFile.draft(file, environment: rig.shelf.environment)
    #expect(draft.errors == [])
    return draft.configuration
  }

  /// What the commands print on a machine that has none of it: the exit status of curl without a web server, and half a disk.
  private static let bareMachine = #"{"web":7,"disk":" 42%","disk-files":" 7%"}"#

  @Test(arguments: [false, true])
  func `for two days nothing is heard, and no alarm begins`(haveSourcesFailed: Bool) throws {
    let configuration = try Self.added()
    let world = try RecipeWorld(configuration)
    if haveSourcesFailed { world.stopSources(configuration) } else { try world.set(Self.bareMachine) }
    let heard = try world.run("172800")
    #expect(heard == [])
  }

  @Test func `no setting of a recipe is warned of`() throws {
    #expect(try Self.added().ownWarnings.map(\.description) == [])
  }
}
