import SoundTrigger
import SoundWire

/// The sounds that can be played, as `soundd sounds` shows them.
struct SoundList {
  /// A sound file.
  struct Row {
    var sound: FoundSound
    /// How long it is, or why it cannot be played; `nil` if its header does not say it.
    var length: Result<Duration?, SoundError>

    fileprivate var cells: [String] {
      switch length {
      case _ where sound.hiddenBy != nil: [sound.name, "-", "not used: \(sound.hiddenBy ?? "") comes first"]
      case .success(let length): [sound.name, length?.rounded ?? "-", ShippedSounds.meaning(of: sound.name) ?? ""]
      case .failure(let problem): [sound.name, "-", "broken: \(problem)"]
      }
    }

    fileprivate var problem: String? {
      if case .failure(let problem) = length { "\(problem)" } else { nil }
    }

    fileprivate func painted(_ line: String) -> String {
      if case .failure = length, sound.hiddenBy == nil { Colour.red.paint(line) } else { line }
    }
  }

  private(set) var folders: [(path: String, rows: [Row])]

  /// Reads the headers of the sounds.
  init(_ catalogue: [(folder: String, sounds: [FoundSound])], _ loader: ClipLoader) {
    folders = catalogue.map { folder, sounds in
      let rows = sounds.map { sound in
        Row(sound: sound, length: Result { () throws(SoundError) in try loader.length(path: sound.path) })
      }
      return (folder, rows)
    }
  }

  /// The sounds that a name plays, in the order of the list.
  var playable: [Row] { folders.flatMap { $0.rows.filter { $0.sound.hiddenBy == nil } } }

  /// The files of this name, or if there is none of the nearest of its aliases.
  func only(_ name: String) throws(Failure) -> SoundList {
    let names = Set(playable.map(\.sound.name))
    guard let name = SoundLocator.names(for: name).first(where: names.contains) else {
      let near = Suggestion.question(Suggestion.nearest(to: name, among: names.sorted()))
      throw Failure(
        .noInput,
        "no sound is called \(Excerpt.quoting(name))\(near)\nsearched \(folders.map(\.path).joined(separator: ", "))")
    }
    var chosen = self
    chosen.folders = folders.compactMap { path, rows in
      let rows = rows.filter { $0.sound.name == name }
      return rows.isEmpty ? nil : (path, rows)
    }
    return chosen
  }

  /// For people: each folder, and below it each of its sounds. `width`: see `Table`.
  func text(inColour: Bool, width: Int? = nil) -> String {
    let table = Table(rows: folders.flatMap { $0.rows.map(\.cells) }, wrapsLast: true)
    var lines = table.lines(width: width.map { $0 - 2 })[...]
    return folders.map { path, rows in
      let own = zip(rows, lines).flatMap { row, lines in lines.map { "  \(inColour ? row.painted($0) : $0)" } }
      lines = lines.dropFirst(rows.count)
      return ([Excerpt.escaping(path)] + own).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  /// For programs: an array of objects.
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.array(folders.flatMap(\.rows)) { row, writer in
      var sound = SoundMessage()
      (sound.name, sound.path) = (row.sound.name, row.sound.isBuiltIn ? nil : row.sound.path)
      sound.length = (try? row.length.get()) ?? nil
      sound.meaning = ShippedSounds.meaning(of: row.sound.name)
      (sound.hiddenBy, sound.problem) = (row.sound.hiddenBy, row.problem)
      sound.write(to: &writer)
    }
    return writer.bytes
  }

  /// A line for each of the playable sounds.
  var playableLines: [String] { Table.lines(playable.map(\.cells)) }
}
