import Testing

@testable import soundd

/// What the sources of the recipes print when things are odd, and what is heard then.
///
/// The lines are from 718 dumps of upsc (networkupstools/nut-ddl), from kubectl 1.32, df 9.1 and mosquitto_sub 2.0, and from the
/// documents of the others: sysfs-class-power, curl(1), the HTTP API of Prometheus, MQTT of Zigbee2MQTT and Home Assistant.
struct RecipeInputTests {
  struct Case: CustomTestStringConvertible {
    var recipe: String
    var timeline: String
    var heard: [String]

    init(_ recipe: String, _ timeline: String, _ heard: String...) {
      (self.recipe, self.timeline, self.heard) = (recipe, timeline, heard)
    }

    var testDescription: String { "\(recipe): \(timeline.replacing("\n", with: " | ").prefix(80))" }
  }

  private static func check(_ example: Case) throws {
    let world = try RecipeWorld(RecipeWorld.configuration(example.recipe))
    let heard = try world.run(example.timeline)
    // What happens at one time has no order here.
    #expect(heard.sorted() == example.heard.sorted())
  }

  // MARK: ups

  private static let ups: [Case] = [
    Case(
      "ups",
      """
      0 ups=OL
      10 ups=OB DISCHRG
      100 ups=OB DISCHRG LB
      130 ups=OL CHRG LB
      140 ups=OL LB RB
      400 ups=OL CHRG
      500 ups=FSD OL
      504
      """,
      "10 ups-power plays warning", "100 ups-low is active", "100 ups-low plays alarm", "130 ups-low is normal",
      "130 ups-power plays success", "140 ups-replace plays message", "500 ups-shutdown is active",
      "500 ups-shutdown plays error"),
    // Recorded: low and full at once, and twice words that say where the power comes from.
    Case("ups", "0 ups=OL\n1 ups=LB OL CHRG\n2 ups=OL DISCHRG OB\n3 ups=OL OFF\n4 ups=OL HE\n5 ups=ALARM OL"),
    // None of these says where the power comes from.
    Case(
      "ups",
      """
      0 ups=OL
      1 ups=BYPASS
      2 ups=OFF
      3 ups=CAL
      4 ups=COMMBAD
      5 ups=
      6 ups=Data stale
      7 ups=TRIM
      8 ups=ALARM
      9 ups=WAIT
      10 ups=BYPASS LB
      11 ups=OL
      """),
    Case(
      "ups", "0 ups=OL\n1 ups=OB\n2 ups=BYPASS\n3 ups=\n4 ups=OL TRIM", "1 ups-power plays warning",
      "4 ups-power plays success"),
    // The alarm does not end by what says nothing.
    Case(
      "ups", "0 ups=OL\n1 ups=OB LB RB\n2 ups=COMMBAD\n3", "1 ups-low is active", "1 ups-low plays alarm",
      "1 ups-replace plays message", "1 ups-power plays warning"),
    Case(
      "ups", "0 ups=OL\n1 ups=FSD OB LB\n2", "1 ups-low is active", "1 ups-low plays alarm", "1 ups-shutdown is active",
      "1 ups-shutdown plays error", "1 ups-power plays warning"),
    Case("ups", "0 ups=OL\n1 ups=FSD\n2", "1 ups-shutdown is active", "1 ups-shutdown plays error"),
  ]

  @Test(arguments: ups) func `a low battery counts on battery, and a status that says nothing is ignored`(
    _ ups: Case
  ) throws {
    try Self.check(ups)
  }

  // MARK: battery

  /// A line for what the kernel shows of a battery.
  private static func uevent(_ time: Int, _ status: String, _ capacity: Int, _ model: String = "45N1767") -> String {
    #"\#(time) {"battery-state":"POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_STATUS=\#(status)\nPOWER_SUPPLY_CAPACITY=\#(capacity)\n"#
      + #"POWER_SUPPLY_CAPACITY_LEVEL=Critical\nPOWER_SUPPLY_MODEL_NAME=\#(model)\n"}"# + "\n"
  }

  private static let batteries: [Case] = [
    Case(
      "battery",
      uevent(0, "Full", 100) + uevent(1, "Not charging", 3) + uevent(2, "Unknown", 3) + uevent(3, "Discharging", 40)),
    Case("battery", uevent(0, "Full", 100) + uevent(1, "Discharging", 90, "POWER_SUPPLY_CAPACITY=3")),
    Case("battery", uevent(0, "Full", 100) + uevent(1, "Charging", 2, "POWER_SUPPLY_STATUS=Discharging")),
    Case(
      "battery", uevent(0, "Discharging", 5) + uevent(1, "Discharging", 4) + uevent(2, "Charging", 4),
      "1 battery-empty is active", "1 battery-empty plays alarm", "2 battery-empty is normal"),
    Case("battery", "0 charging=Discharging\n1 charging=Full\n2 charging=Unknown"),
    Case(
      "battery", "0 charging=Charging\n1 charging=Not charging\n2 charging=Full\n3 charging=Unknown",
      "2 battery-full plays path-complete"),
    // 2 is a supply whose voltage can be chosen.
    Case(
      "battery", "0 battery=20\n1 battery=\n2 battery=unknown\n3 charger=2\n20", "1 refuses battery=",
      "2 refuses battery=unknown", "3 refuses charger=2"),
  ]

  @Test(arguments: batteries) func `a battery is empty only while it discharges`(_ battery: Case) throws {
    try Self.check(battery)
  }

  // MARK: http

  private static let servers: [Case] = [
    Case("http", "0 web=7\n100 web=28\n1000 web=6\n2000"),
    Case(
      "http", "0 web=0\n10 web=22\n40 web=000", "10 web-down is pending", "40 web-down is normal",
      "40 web-back plays success"),
    Case(
      "http", "0 web=0\n10 web=7\n40 web=28\n90 web=52\n100", "10 web-down is pending", "70 web-down is active",
      "70 web-down plays error"),
    Case("http", "0 web=0\n1 web=\n2 web=301 Moved\n100", "1 refuses web=", "2 refuses web=301 Moved"),
    Case(
      "http", "0 web=7\n10 web=0\n20 web=7\n30 web=0", "10 web-back plays success", "20 web-down is pending",
      "30 web-down is normal"),
  ]

  @Test(arguments: servers) func `a server that never answered does not stop answering`(_ server: Case) throws {
    try Self.check(server)
  }

  // MARK: disk

  private static let disks: [Case] = [
    Case("disk", #"0 {"disk":"Use%\n   -\n","disk-files":"IUse%\n    -\n"}"#),
    Case(
      "disk", #"0 {"disk":"Verw%\n  42%\n"}"# + "\n" + #"1 {"disk":"Verw%\n  91%\n"}"#, "1 disk-filling plays warning"),
    Case("disk", "0 disk=df: no file systems processed\n1 disk=\n2 disk=100"),
    Case("disk", #"0 {"disk":"Use%\n100%\n"}"#, "0 disk-filling plays warning", "0 disk-full plays error"),
    Case("disk", "0 disk=5%\n1 disk=-\n2 disk=95%\n3 disk=-\n4 disk=95%", "2 disk-filling plays warning"),
  ]

  @Test(arguments: disks) func `a percentage counts, and a file system without one is ignored`(_ disk: Case) throws {
    try Self.check(disk)
  }

  // MARK: temperature

  @Test(arguments: [
    "unavailable", "unknown", "null", "None", "NaN", "", "93,5", "93 °C", "0x5D", "{\"temperature\":93}",
  ])
  func `what is not a number is refused, and the temperature stays`(_ content: String) throws {
    let world = try RecipeWorld(RecipeWorld.configuration("temperature"))
    let heard = try world.run("0 temperature=20\n1 temperature=\(content)\n2 temperature=20\n3 temperature= 93.5 ")
    #expect(heard == ["1 refuses temperature=\(content)", "3 hot plays alarm"])
  }

  // MARK: systemd

  private static let units: [Case] = [
    Case("systemd", "0 unit-failed=dev-disk-by\\x2duuid-1.swap", "0 unit-failed plays warning"),
    Case("systemd", "0 unit-failed=-.mount", "0 unit-failed plays warning"),
    Case("systemd", "0 unit-failed=backup@daily.service", "0 unit-failed plays warning"),
    Case("systemd", "0 unit-failed=backup.service", "0 backup-failed plays error"),
    Case("systemd", "0 unit-failed="),
    Case(
      "systemd", "0 unit-failed=user@1000.service\n1 unit-failed=user@1000.service\n6 unit-failed=a.timer",
      "0 unit-failed plays warning", "6 unit-failed plays warning"),
  ]

  @Test(arguments: units) func `each unit is heard by its name`(_ unit: Case) throws { try Self.check(unit) }

  // MARK: kubernetes

  private static let pods: [Case] = [
    // Recorded: members that are absent are nothing in the line.
    Case(
      "kubernetes",
      "0 pod/default/a=Pending  \n1 pod/default/a=  \n2 pod/default/a=Running  \n3 pod/default/a=Pending ContainerCreating\n4 pod/default/a=Unknown  "
    ),
    Case(
      "kubernetes", "0 pod/default/a=Pending  \n1 pod/default/a=Pending CrashLoopBackOff PodInitializing",
      "1 pod-failed[pod/default/a] plays error"),
    Case(
      "kubernetes",
      "0 pod/default/a=Running  \n1 pod/default/a=Running  CrashLoopBackOff ContainerCreating\n2 pod/default/a=Running  \n3 pod/default/a=Running  CrashLoopBackOff",
      "1 pod-failed[pod/default/a] plays error"),
    Case(
      "kubernetes", "0 pod/default/a=Pending  \n1 pod/default/a=Pending  RunContainerError",
      "1 pod-failed[pod/default/a] plays error"),
    Case(
      "kubernetes", "0 pod/default/a=Running  \n1 pod/default/a=Failed  \n2 pod/default/a=Failed  ",
      "1 pod-failed[pod/default/a] plays error"),
    Case(
      "kubernetes", "0 pod/default/a=Running  \n1 pod/default/a=Succeeded  \n2 pod/default/a=Succeeded  ",
      "1 pod-done[pod/default/a] plays success"),
  ]

  @Test(arguments: pods) func `a pod fails by its phase or by why it waits`(_ pod: Case) throws { try Self.check(pod) }

  // MARK: prometheus

  /// A line with the answer to a query.
  private static func answer(_ time: Int, _ result: String) -> String {
    #"\#(time) alerts={"status":"success","data":{"resultType":"vector","result":\#(result)}}"# + "\n"
  }

  private static func number(_ time: Int, _ text: String) -> String {
    answer(time, #"[{"metric":{},"value":[1435781451.781,"\#(text)"]}]"#)
  }

  @Test(arguments: [
    answer(1, "[]"), answer(1, #"[1435781451.781,"3"]"#), number(1, "NaN"), number(1, ""),
    #"1 alerts={"status":"error","errorType":"bad_data","error":"invalid parameter"}"# + "\n",
    "1 alerts=<html>503 Service Temporarily Unavailable</html>\n",
  ]) func `an answer without a number is no alert, and the next one with the same number is none either`(
    _ line: String
  ) throws {
    let world = try RecipeWorld(RecipeWorld.configuration("prometheus"))
    let heard = try world.run(
      Self.number(0, "2") + line + Self.number(2, "2") + Self.number(3, "3") + Self.number(4, "0"))
    #expect(heard.filter { !$0.contains("refuses") } == ["3 alert-fires plays warning", "4 alerts-over plays success"])
  }

  // MARK: log

  private static let failed = "Failed password for"
  private static let logs: [Case] = [
    Case(
      "log", "0 login-failure=\(failed) invalid user root from 1.2.3.4 port 5 ssh2 from 203.0.113.5 port 40022 ssh2",
      "0 intruder plays warning"),
    Case(
      "log", "0 login-failure=\(failed) root from 2001:db8::1 port 40022 ssh2", "0 intruder plays warning",
      "0 intruder-root plays error"),
    Case(
      "log",
      "0 login-failure=\(failed) root\n1 login-failure=error: \(failed) root from 203.0.113.5 port 1 ssh2\n2 login-failure="
    ),
    Case("log", "0 app-level=2026-01-31T09:15:00Z \u{1B}[1;31mERROR\u{1B}[0m no space left", "0 app-error plays error"),
    Case(
      "log", "0 app-level=\u{1B}[2m2026-01-31T09:15:00Z\u{1B}[0m \u{1B}[31mERROR\u{1B}[0m app: no space left",
      "0 app-error plays error"),
    Case("log", "0 app-level=\u{1B}[2m2026-01-31T09:15:00Z\u{1B}[0m \u{1B}[32m INFO\u{1B}[0m app: ERROR is not here"),
    Case(
      "log",
      "0 app-level=ERROR is not the level\n1 app-level=2026-01-31T09:15:00Z ERRORS: 0\n2 app-level=\n3 app-level=\u{FFFD}\u{1}"
    ),
  ]

  @Test(arguments: logs) func `the name and the level are those of the line, in any colour`(_ log: Case) throws {
    try Self.check(log)
  }

  // MARK: mqtt

  private static let messages: [Case] = [
    Case(
      "mqtt",
      "0 mqtt/home/door=closed\n1 mqtt/home/door=unavailable\n2 mqtt/home/door=closed\n3 mqtt/home/door=\n4 mqtt/home/door=unknown"
    ),
    Case(
      "mqtt", "0 mqtt/home/door=closed\n1 mqtt/home/door=unavailable\n2 mqtt/home/door=open", "2 home-door plays press"),
    Case(
      "mqtt",
      "0 mqtt/home/freezer=-18\n1 mqtt/home/freezer=unavailable\n2 mqtt/home/freezer=null\n3 mqtt/home/freezer=\n700",
      "1 refuses mqtt/home/freezer=unavailable", "2 refuses mqtt/home/freezer=null", "3 refuses mqtt/home/freezer="),
    Case(
      "mqtt", "0 mqtt/hosts/a/disk=50\n1 mqtt/hosts/a/disk=91%\n2 mqtt/hosts/a/disk=91",
      "1 refuses mqtt/hosts/a/disk=91%", "2 host-disk-full[mqtt/hosts/a/disk] plays error"),
    Case("mqtt", "0 mqtt/broker=up\n10 mqtt/broker=up\n20 mqtt/broker=up"),
  ]

  @Test(arguments: messages) func `a device that is unavailable is no change of what it measures`(
    _ message: Case
  ) throws {
    try Self.check(message)
  }

  @Test func `a doorbell rings when it is pressed, not when it says something else`() throws {
    let world = try RecipeWorld(RecipeWorld.configuration("mqtt"))
    let heard = try world.run(
      #"""
      0 mqtt/home/doorbell={"battery": 80}
      1 mqtt/home/doorbell={"action": "", "battery": 80}
      2 mqtt/home/doorbell={"last_action": "single", "update": {"action": "single"}}
      3 mqtt/home/doorbell={"action": null}
      4 mqtt/home/doorbell=single
      5 mqtt/home/doorbell={"battery": 80, "action": "single"}
      """#)
    #expect(heard.filter { !$0.contains("refuses") } == ["5 home-doorbell plays message"])
  }

  // MARK: The others

  private static let others: [Case] = [
    Case("cron", "0 backup=ok 0 a\n1 backup=\n2 backup=failedover 1\n3 backup=ok 0 failed"),
    Case("cron", "0 backup=ok 0 a\n1 backup=failed 137 b", "1 job-failed plays error", "1 job-still-failed is pending"),
    Case(
      "mail", "0 inbox=3\n1 inbox=2\n2 inbox=0\n3 inbox=-\n4 inbox=1", "2 inbox-empty plays path-complete",
      "3 refuses inbox=-", "4 mail plays message"),
    Case(
      "fleet", "0 host/a/down=false\n1 host/a/down=unavailable\n2 host/a/disk=\n100",
      "1 refuses host/a/down=unavailable", "2 refuses host/a/disk="),
    Case(
      "agent", "0 agent/1=working\n1 agent/1=Done\n2 agent/1=\n3 agent/1=done\n4 agent/1=done",
      "3 agent-done[agent/1] plays success"),
    Case("build", "0 build=running 1\n1 build=\n2 build=passedx\n3 build=failed 2", "3 failed plays error"),
    Case(
      "desktop", "0 desktop/headphones=false\n1 desktop/headphones=\n2 desktop/headphones=true",
      "1 refuses desktop/headphones=", "2 headphones plays selection-on"),
    Case(
      "progress", "0 progress=0\n1 progress=45%\n2 progress=nan\n3 progress=100", "1 refuses progress=45%",
      "2 refuses progress=nan", "3 progress plays tone:440 Hz 40 ms", "3 progress-done plays path-complete"),
    Case(
      "shell", "0 shell=passed vim\n1 shell=failed\n2 shell=gone make\n3 shell=failed make", "3 shell plays error"),
  ]

  @Test(arguments: others) func `an odd line is not heard, and the next good one is`(_ other: Case) throws {
    try Self.check(other)
  }
}
