import SoundTrigger
import SoundWire

/// Carries out the requests of the socket's clients. The server calls it on the event loop's thread.
protocol RequestHandler: AnyObject {
  /// Carries out one request and returns the reply.
  ///
  /// The server passes no blank or invalid lines. The bytes of the line are valid only during the call. Return `.later` if the
  /// reply takes a while. Send events through `ClientConnection.push`.
  func handle(_ request: Request, line: Span<UInt8>, from client: ClientConnection) -> Reply

  /// Called before a reply is sent, so that earlier events are sent first.
  func willReply()

  /// A client has left, or takes no more events. Nothing can be sent to it any more.
  func clientDidClose(_ client: ClientConnection)

  /// New clients must wait until another client leaves. Called repeatedly until then; `reason` is an errno.
  func clientsMustWait(_ reason: Int32)

  /// The server is about to close the client that has been idle for longest, because there is no room for the next one.
  func clientMakesRoom(idleFor time: Duration)

  /// The server refused a connection of another user; called at most once a minute.
  func refusedPeer(uid: UInt32)
}
