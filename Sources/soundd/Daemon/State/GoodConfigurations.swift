import Glibc
import SoundTrigger
import SoundWire

/// Copies of configurations that were good, one for each path of a main file, in the folder `good` of the state.
///
/// A copy has the main file and all its parts. If the file is bad when soundd starts, soundd runs with the copy.
struct GoodConfigurations: Sendable {
  /// A copy, and when it was first kept.
  struct Copy {
    var text: ConfigurationText
    var keptAt: Timestamp
  }

  /// How many copies are kept. Beyond that the one is removed that was used longest ago.
  static let most = 32
  /// More than the JSON of the largest configuration.
  private static let limit = 64 << 20
  private static let record = Record(kind: "soundd_configuration", version: 1)

  private let folder: String

  /// `folder`: the folder of the state.
  init(in folder: String) { self.folder = FilePathText.join(folder, "good") }

  // MARK: Reading

  /// The copy of the configuration at an absolute path, or `nil` if none is kept. Its places name `file`, as the user does.
  ///
  /// Throws if the copy is damaged, or if another user could have written it, because it may name commands.
  func copy(of path: String, as file: String) throws(Failure) -> Copy? {
    let path = Self.key(path)
    let place = self.file(for: path)
    guard access(place.path, F_OK) == 0 else { return nil }
    var writers: String?
    let bytes = try InputFile.contents(place.path, limit: Self.limit, as: "a copy of a configuration", again: true) {
      writers = FileWriters.problem(of: $0, place.path)
    }
    if let writers { throw Failure(.refused, writers) }
    do throws(Record.Problem) {
      return try Self.read(Self.record.lines(of: bytes), path, file)
    } catch {
      throw Failure(.badData, "\(place.path) \(error)")
    }
  }

  private static func read(_ lines: [Record.Line], _ path: String, _ file: String) throws(Record.Problem) -> Copy {
    guard let main = lines.first?.message(KeptFile.self), main.file == path else { throw .damaged }
    var text = ConfigurationText(file: file, bytes: Array(main.text.utf8))
    text.writers[file] = main.writers
    for line in lines.dropFirst() {
      guard let part = line.message(KeptPart.self) else { throw .damaged }
      let place = "\(ConfigurationFile.folder(of: file))/\(part.part)"
      text.parts.append(ConfigurationText.Part(file: place, bytes: Array(part.text.utf8)))
      text.writers[place] = part.writers
    }
    return Copy(text: text, keptAt: main.keptAt)
  }

  // MARK: Writing

  /// Keeps a configuration as the last good one of its absolute path, in one write. It may block.
  func keep(_ text: ConfigurationText, of path: String, at now: Timestamp) throws(SystemError) {
    let path = Self.key(path)
    let place = file(for: path)
    removeRemains()
    if let known = try? copy(of: path, as: text.file), known.text == text {
      // So that it is not the oldest one.
      _ = try retrying("utimensat", place.path) { utimensat(AT_FDCWD, place.path, nil, 0) }
      return
    }
    var main = KeptFile()
    (main.file, main.keptAt, main.writers) = (path, now, text.writers[text.file])
    main.text = String(decoding: text.bytes, as: UTF8.self)
    var lines: [any Message] = [main]
    for part in text.parts {
      var line = KeptPart()
      (line.part, line.writers) = (FilePathText.name(of: part.file), text.writers[part.file])
      line.text = String(decoding: part.bytes, as: UTF8.self)
      lines.append(line)
    }
    try place.write(Self.record.file(lines))
    removeOldest()
  }

  /// The path of a configuration as every spelling of it has it: its folder without links and `..`.
  private static func key(_ path: String) -> String {
    guard let folder = realpath(FilePathText.folder(of: path), nil) else { return path }
    defer { free(folder) }
    return FilePathText.join(String(cString: folder), FilePathText.name(of: path))
  }

  private func file(for path: String) -> StateFile {
    StateFile(path: FilePathText.join(folder, String(SHA256.text(of: Array(path.utf8)).prefix(16))))
  }

  /// Removes the temporary files of processes that were killed while they kept any copy.
  private func removeRemains() {
    for name in Folder.names(in: folder) ?? [] where name.hasSuffix(".new") {
      StateFile(path: FilePathText.join(folder, String(name.prefix { $0 != "." }))).removeRemains()
    }
  }

  private func removeOldest() {
    let copies = (Folder.names(in: folder) ?? []).map { name in
      var status = stat()
      let path = FilePathText.join(folder, name)
      return (path, stat(path, &status) == 0 ? status.st_mtim.tv_sec : 0)
    }
    for (path, _) in copies.sorted(by: { $0.1 > $1.1 }).dropFirst(Self.most) { unlink(path) }
  }
}
