import SoundTrigger

/// Notifies clients of changes, plays and the ends of sounds.
final class EventPublisher {
  private let subscriptions: EventSubscriptions<ClientConnection>

  /// `civil`: the civil time of an instant.
  init(civil: @escaping (Instant) -> Timestamp) { subscriptions = EventSubscriptions(civil: civil) }

  /// Whether there are no subscribers.
  var isEmpty: Bool { subscriptions.isEmpty }

  // MARK: Subscribers

  /// `events [NAME …]`. Replaces what the client followed before.
  func follow(_ names: [String], _ client: ClientConnection) -> Reply {
    let filter = Set(names.compactMap { ValueName($0) })
    let longest = EventSubscriptions<ClientConnection>.longestFilter
    if filter.count > longest {
      return .error("'events' takes at most \(longest) names; without any it follows all values")
    }
    send()
    // The client may have left unread too much of what it followed before.
    if client.isClosed { return .silent }
    subscriptions.add(client, names: filter)
    client.isSubscribed = true
    return .ok
  }

  func remove(_ client: ClientConnection) { subscriptions.remove(client) }

  /// Sends what was gathered.
  func send() { subscriptions.send() }

  /// Forgets which triggers watch what, after a reload.
  func triggersChanged() { subscriptions.triggersChanged() }

  // MARK: Events

  func changed(_ changes: [Change], in store: ValueStore, at now: Instant) {
    for change in changes where subscriptions.wants(change.value, store.name(of: change.value)) {
      subscriptions.notifyChange(
        change.value, store.name(of: change.value), old: change.isFirst ? nil : change.old, new: change.new, at: now)
    }
  }

  /// `values`: what the play's trigger watches.
  func received(_ event: PlayEvent, values: @autoclosure () -> [ValueName], at now: Instant) {
    if isEmpty { return }
    switch event {
    case .heard(let play, let isMuted): notify(play, isMuted ? .muted : .played, values())
    case .refused(let play, let refusal): notify(play, Verdict(refusal), values())
    case .ended(let play, let ending):
      guard subscriptions.wants(trigger: play.trigger, values: values()) else { return }
      let reason: StopReason =
        switch ending {
        case .finished: .ended
        case .stopped: .stopped
        case .stolen: .stolen
        }
      subscriptions.notifyStop(play.sound, trigger: play.trigger, values: values(), reason: reason, at: now)
    }
  }

  private func notify(_ play: Play, _ verdict: Verdict, _ values: @autoclosure () -> [ValueName]) {
    guard subscriptions.wants(trigger: play.trigger, values: values()) else { return }
    subscriptions.notifyPlay(
      play.sound, trigger: play.trigger, values: values(), cause: play.cause, verdict: verdict.word, at: play.at)
  }
}
