@testable import soundd

/// A configuration that a target brings along.
enum TargetConfiguration {
  /// Reads the text, in which nothing is wrong.
  static func read(_ text: String) -> Configuration {
    do throws(Failure) {
      return try ConfigurationText(file: "c.toml", bytes: Array(text.utf8)).configuration(
        SystemEnvironment(variables: ["HOME": "/home/ann"], workingDirectory: "/work"))
    } catch {
      Finding.report("the configuration of the target itself: \(error)")
    }
  }
}
