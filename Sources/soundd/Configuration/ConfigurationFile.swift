import Glibc

/// Finds and reads the configuration file.
enum ConfigurationFile {
  /// The largest file that is taken for a configuration, in bytes.
  private static let limit = 16 << 20

  /// The file to read: `option`, or the first that exists where the XDG Base Directory Specification looks.
  static func locate(_ option: String?, environment: SystemEnvironment) throws(Failure) -> String {
    do {
      return try ConfigurationLocator(environment: environment.configuration)
        .locate(option: option, exists: { access($0, F_OK) == 0 })
    } catch {
      throw Failure(.noInput, "\(error)")
    }
  }

  /// What the file says; the failure has all that is wrong with it.
  static func read(_ file: String, environment: SystemEnvironment) throws(Failure) -> Configuration {
    let bytes = try InputFile.contents(file, limit: limit, as: "a configuration", again: true)
    do throws(ConfigurationErrors) {
      return try Configuration.read(bytes, file: file, environment: environment.configuration)
    } catch {
      throw Failure(.configuration, "\(error)")
    }
  }
}
