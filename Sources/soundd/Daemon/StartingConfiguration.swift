import SoundTrigger

/// The configuration with which a daemon starts: that of its file or, if the file is bad, the last good one.
struct StartingConfiguration {
  /// A file that cannot be used.
  struct BadFile {
    /// As the user names it.
    var file: String
    /// `nil` if it cannot be read.
    var text: ConfigurationText?
    var failure: Failure
    /// Since when the copy is known that is used instead, or `nil` if there is none.
    var copyKeptAt: Timestamp?
    /// Why the copy cannot be used.
    var copyFailure: Failure?

    /// Why nothing of the file counts, for people.
    func description(at now: Timestamp) -> String {
      let problem = text == nil ? "cannot be read" : "has errors"
      if let copyKeptAt {
        return
          "\(file) \(problem): soundd runs with the last good configuration, kept at \(copyKeptAt.localTime(at: now)), until the "
          + "file is good"
      }
      let reason = copyFailure.map { "the last good one cannot be used (\($0))" } ?? "no earlier good one is known"
      return "\(file) \(problem), and \(reason): soundd plays nothing by itself until the file is good"
    }
  }

  var configuration = Configuration()
  /// What is used, or `nil` if there is no file, or no good one.
  var text: ConfigurationText?
  var bad: BadFile?

  /// Reads the configuration at one of these paths, best first.
  ///
  /// `isRequired`: the user has named the file. Then this throws if it is missing, or bad without a good copy.
  init(
    _ paths: [String], isRequired: Bool, copies: GoodConfigurations?, environment: SystemEnvironment
  ) throws(Failure) {
    var file = paths.first ?? ""
    var isMissing = false
    do throws(Failure) {
      let mounts = AnsweringMounts()
      // A folder that hangs and comes later in the list does not matter.
      for path in paths {
        file = path
        try mounts.check(configuration: path, environment)
        if ConfigurationFile.first(of: [path]) != nil { break }
      }
      if isRequired, !ConfigurationFile.mayExist(file) {
        isMissing = true
        _ = try ConfigurationFile.given(file)
      }
      if ConfigurationFile.first(of: [file]) == nil { return }
      let text = try ConfigurationFile.text(file)
      do throws(Failure) { configuration = try text.configuration(environment) } catch {
        bad = BadFile(file: file, text: text, failure: error)
        throw error
      }
      self.text = text
    } catch {
      if isMissing { throw error }
      var bad = bad ?? BadFile(file: file, failure: error)
      useCopy(copies, insteadOf: &bad, environment)
      if isRequired, text == nil {
        guard let reason = bad.copyFailure else { throw error }
        throw Failure(error.code, "\(error)\nthe last good copy of it cannot be used: \(reason)")
      }
      self.bad = bad
    }
  }

  private mutating func useCopy(
    _ copies: GoodConfigurations?, insteadOf bad: inout BadFile, _ environment: SystemEnvironment
  ) {
    do throws(Failure) {
      guard let copy = try copies?.copy(of: environment.absolute(bad.file), as: bad.file) else { return }
      configuration = try copy.text.configuration(environment)
      (text, bad.copyKeptAt) = (copy.text, copy.keptAt)
    } catch {
      configuration = Configuration()
      bad.copyFailure = error
    }
  }
}
