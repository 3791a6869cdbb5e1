extension TriggerDefinition {
  /// The problems of the sounds' names, and of the values in a table of sounds.
  func soundProblems(_ watched: [WatchedValue]) -> [TriggerProblem] {
    switch sound {
    case .sound(""): return [TriggerProblem(key: "sound", message: "names no sound")]
    case .sound: return []
    case .list(let sounds, _):
      if sounds.isEmpty { return [TriggerProblem(key: "sound", message: "the list is empty: add a sound")] }
      return sounds.contains("") ? [TriggerProblem(key: "sound", message: "an entry of the list names no sound")] : []
    case .table(let sounds, let otherwise): return tableProblems(sounds, otherwise, watched)
    }
  }

  private func tableProblems(
    _ sounds: [Value: String], _ otherwise: String?, _ watched: [WatchedValue]
  ) -> [TriggerProblem] {
    if sounds.isEmpty, otherwise == nil {
      return [TriggerProblem(key: "sounds", message: "the table is empty: add a value and its sound, or \"*\"")]
    }
    if sounds.values.contains("") || otherwise == "" {
      return [TriggerProblem(key: "sounds", message: "an entry names no sound; leave out a silent value")]
    }
    let mismatch = contentProblems("sounds", Array(sounds.keys), watched, all: otherwise == nil)
    if !mismatch.isEmpty { return mismatch }
    if otherwise == nil, !to.isEmpty, to.allSatisfy({ sounds[$0] == nil }) {
      return [TriggerProblem(key: "sounds", message: "has a sound for none of the values in to")]
    }
    return []
  }
}
