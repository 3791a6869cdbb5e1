@testable import soundd

/// A configuration that a target brings along.
enum TargetConfiguration {
  /// Reads the text, in which nothing is wrong.
  static func read(_ text: String) -> Configuration {
    do throws(ConfigurationErrors) {
      return try Configuration.read(
        Array(text.utf8), file: "c.toml",
        environment: SystemEnvironment(variables: ["HOME": "/home/ann"], workingDirectory: "/work"))
    } catch {
      Finding.report("the configuration of the target itself: \(error)")
    }
  }
}
