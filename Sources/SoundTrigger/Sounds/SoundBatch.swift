import Synchronization

/// A sound that was looked for, and what came of it.
package struct LoadedSound: Sendable {
  package let name: String
  /// Its file; `nil`: there is none.
  package let file: SoundFile?
  /// The symbolic links that decide which file it is.
  package let links: [String]
  package let clip: Result<Clip, SoundError>
}

/// Sounds that are loaded together, on as many threads as work at it. What several names lead to is loaded once.
package final class SoundBatch: Sendable {
  private typealias Outcome = Result<Clip, SoundError>

  private struct Search: Sendable {
    var name: String
    var file: Result<SoundFile, SoundError>
    var links: [String]
  }

  private let loader: ClipLoader
  private let searches: [Search]
  private let known: [SoundFile.Identity: Clip]
  /// What is to be decoded, and who takes the next one. `relaxed`: it orders nothing else, the outcomes are under their lock.
  private let files: [SoundFile]
  private let next = Atomic(0)
  private let outcomes = Locked([SoundFile.Identity: Outcome]())

  /// Looks for the files of some sounds, and blocks meanwhile.
  ///
  /// `known`: clips that are loaded already and stand for their files as they were then.
  package init(
    _ names: [String], locator: SoundLocator, loader: ClipLoader, known: [SoundFile.Identity: Clip] = [:]
  ) {
    self.loader = loader
    self.known = known
    searches = names.map { name in
      let search = locator.search(name)
      do throws(SoundError) {
        return Search(name: name, file: .success(try SoundFile(path: try search.path.get())), links: search.links)
      } catch {
        return Search(name: name, file: .failure(error), links: search.links)
      }
    }
    var seen: Set<SoundFile.Identity> = []
    files = searches.compactMap { search in
      guard case .success(let file) = search.file, known[file.identity] == nil else { return nil }
      return seen.insert(file.identity).inserted ? file : nil
    }
  }

  /// Decodes files until none is left that nobody works at.
  package func work() {
    while true {
      let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard index < files.count else { return }
      let outcome: Outcome
      do throws(SoundError) {
        outcome = .success(try loader.load(path: files[index].path))
      } catch {
        outcome = .failure(error)
      }
      outcomes.withLock { $0[files[index].identity] = outcome }
    }
  }

  /// The sounds in the order of their names; to be asked for once every `work` has returned.
  package var sounds: [LoadedSound] {
    let outcomes = outcomes.withLock { $0 }
    return searches.compactMap { search in
      switch search.file {
      case .failure(let error):
        return LoadedSound(name: search.name, file: nil, links: search.links, clip: .failure(error))
      case .success(let file):
        guard let clip = known[file.identity].map(Outcome.success) ?? outcomes[file.identity] else { return nil }
        return LoadedSound(name: search.name, file: file, links: search.links, clip: clip)
      }
    }
  }
}
