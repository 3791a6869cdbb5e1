import Foundation
import Synchronization
import Testing

/// The examples that ask a server with curl, which is the real one.
struct ServerExamplesTests {
  private let home: Home

  init() throws { home = try Home() }

  @Test func `a web server that answers, that fails and that is gone has the exit statuses of curl`() throws {
    let status = Mutex(200)
    let server = try WebServer { _ in (status.withLock { $0 }, "<p>'; touch pwned; $(touch pwned)\n\u{1B}[2J</p>") }
    let daemon = try home.daemon(
      example: "http.toml",
      replacing: [
        "http://localhost/": "http://127.0.0.1:\(server.port)/", "every   = \"30 s\"": "every = \"1 s\"",
        "delay      = \"1 min\"": "delay = \"1 ms\"",
      ])
    func wait(_ number: Int) throws {
      try eventually("curl exits with \(number)") { try home.value("web")["value"] as? Int == number }
    }
    try wait(0)
    status.withLock { $0 = 503 }
    try wait(22)
    try eventually("it is heard") { try home.decided("web-down") == 1 }
    server.stop()
    try wait(7)
    #expect(try home.verdicts("web-back").prefix(2) == ["0 appeared", "22 not_to"])
    #expect(!FileManager.default.fileExists(atPath: home("config/soundd/pwned")))
    withExtendedLifetime(daemon) {}
  }

  @Test func `a restart of a web server is silent, an outage is repeated until it is over`() throws {
    let plays = try home.render(
      example: "http.toml", "0 web=0\n30 web=7\n60 web=0\n400 web=22\n700 web=28\n1100 web=0\n")
    #expect(
      plays == [
        "60 web-back plays success", "460 web-down plays error", "1060 web-down plays error",
        "1100 web-back plays success",
      ])
  }

  /// What Prometheus answers to a query, as its documentation shows it.
  private static func vector(_ results: String) -> String {
    #"{"status":"success","data":{"resultType":"vector","result":["# + results + "]}}"
  }

  /// A form as curl sends it.
  private static func decoded(_ body: String) -> String {
    body.replacing("+", with: " ").removingPercentEncoding ?? "\(body) is not a form"
  }

  @Test func `queries of Prometheus arrive whole, and their numbers are heard`() throws {
    let alerts = Mutex(#"{"metric":{},"value":[1435781451.781,"0"]}"#)
    let bodies = Mutex(Set<String>())
    let server = try WebServer { request in
      let body = request.components(separatedBy: "\r\n\r\n").last ?? ""
      bodies.withLock { _ = $0.insert("\(request.split(separator: " ")[1]) \(Self.decoded(body))") }
      let load = #"{"metric":{"instance":"a:9100"},"value":[1435781451.781,"0.25"]}"#
      return (200, Self.vector(body.contains("ALERTS") ? alerts.withLock { $0 } : load))
    }
    let daemon = try home.daemon(
      example: "prometheus.toml",
      replacing: ["http://localhost:9090": "http://127.0.0.1:\(server.port)", "every   = \"15 s\"": "every = \"1 s\""])
    try eventually("there are no alerts") { try home.value("alerts")["value"] as? Int == 0 }
    try eventually("there is a load") { try home.value("load")["value"] as? Double == 0.25 }
    #expect(
      bodies.withLock { $0 } == [
        #"/api/v1/query query=count(ALERTS{alertstate="firing"}) or vector(0)"#,
        "/api/v1/query query=max(node_load5 / on (instance) count by (instance) "
          + #"(node_cpu_seconds_total{mode="idle"}))"#,
      ])
    // Without a result nothing is heard, and a text is refused, whatever it holds.
    alerts.withLock { $0 = "" }
    let updates = try #require(try home.value("load")["updates"] as? Int)
    try eventually("both have run again") { try home.value("load")["updates"] as? Int ?? 0 > updates + 1 }
    alerts.withLock { $0 = #"{"metric":{},"value":[1,"'; touch pwned; $(touch pwned) \"\n\u001b[2J"]}"# }
    try daemon.waitForErrors("is not a number")
    for number in [0, 2] {
      alerts.withLock { $0 = #"{"metric":{},"value":[1435781461.781,"\#(number)"]}"# }
      try eventually("there are \(number)") { try home.value("alerts")["value"] as? Int == number }
    }
    try eventually("it is heard") { try home.verdicts("alert-fires").last == "2 played" }
    #expect(!FileManager.default.fileExists(atPath: home("config/soundd/pwned")))
  }

  @Test func `alerts and an overload have their sounds`() throws {
    func line(_ time: Int, _ name: String, _ number: String) -> String {
      "\(time) \(name)=\(Self.vector("{\"metric\":{},\"value\":[\(time),\"\(number)\"]}"))\n"
    }
    let plays = try home.render(
      example: "prometheus.toml",
      line(0, "alerts", "0") + line(0, "load", "1") + line(1, "alerts", "2") + line(2, "alerts", "1")
        + line(3, "alerts", "0") + line(10, "load", "2.5") + line(400, "load", "1"))
    #expect(
      plays == ["1 alert-fires plays warning", "3 alerts-over plays success", "310 overload plays error"])
  }
}
