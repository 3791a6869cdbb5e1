import Foundation
import Testing

struct BatteryExampleTests {
  private let home: Home

  init() throws { home = try Home() }

  /// What Linux shows of a battery, cut down.
  private func uevent(_ status: String, _ capacity: Int) -> String {
    """
    POWER_SUPPLY_NAME=BAT0
    POWER_SUPPLY_TYPE=Battery
    POWER_SUPPLY_STATUS=\(status)
    POWER_SUPPLY_PRESENT=1
    POWER_SUPPLY_TECHNOLOGY=Li-poly
    POWER_SUPPLY_CYCLE_COUNT=0
    POWER_SUPPLY_VOLTAGE_NOW=16340000
    POWER_SUPPLY_ENERGY_FULL=49650000
    POWER_SUPPLY_CAPACITY=\(capacity)
    POWER_SUPPLY_CAPACITY_LEVEL=Normal
    POWER_SUPPLY_MODEL_NAME=45N1767

    """
  }

  private func set(_ status: String, _ capacity: Int, online: Int) throws {
    try home.write("power/AC/online", "\(online)\n")
    try home.write("power/BAT0/status", "\(status)\n")
    try home.write("power/BAT0/capacity", "\(capacity)\n")
    try home.write("power/BAT0/uevent", uevent(status, capacity))
  }

  @Test func `the charger, an empty battery and a full one are heard`() throws {
    try set("Charging", 3, online: 1)
    // Nobody can set what is in /sys: another folder stands for it, and is looked at more often.
    let daemon = try home.daemon(
      example: "battery.toml",
      replacing: [
        "/sys/class/power_supply": home("power"), "poll = \"10 s\"": "poll = \"20 ms\"",
        "poll = \"500 ms\"": "poll = \"20 ms\"",
      ])
    let state = { try home.trigger("battery-empty")["state"] as? String }
    // It is loaded, however empty it is.
    #expect(try home.value("charger")["value"] as? Bool == true)
    #expect(try state() == "ok")
    try set("Discharging", 3, online: 0)
    try eventually("the plug is heard") { try home.decided("charger") == 1 }
    try eventually("it alarms") { try state() == "looping" }
    // Its voltage changes all the time.
    try home.write("power/BAT0/uevent", uevent("Discharging", 2))
    try eventually("that is known") { try home.value("battery-state")["updates"] as? Int ?? 0 > 2 }
    #expect(try state() == "looping")
    try set("Charging", 2, online: 1)
    try eventually("it is over") { try state() == "ok" }
    try eventually("the plug is heard") { try home.decided("charger") == 2 }
    try eventually("it is loaded") { try home.value("charging")["value"] as? String == "Charging" }
    #expect(try home.decided("battery-empty") == 1)
    try set("Full", 100, online: 1)
    try eventually("it is full") { try home.verdicts("battery-full").last == "Full played" }
    #expect(try home.decided("battery-full") == 1)
    #expect(try home.decided("battery-low") == 0)
    withExtendedLifetime(daemon) {}
  }

  @Test func `a low battery is heard once on the way down, unless it is plugged in at once`() throws {
    let plays = try home.render(
      example: "battery.toml",
      """
      0 {"battery":20,"charger":false,"charging":"Discharging"}
      1 battery=14
      10 battery=13
      20 battery=16
      30 battery=14
      40 battery=18
      50 battery=14
      52 charger=1
      60 charging=Full
      70 charging=Charging
      80 charging=Full
      90 charger=off
      """)
    // 16 is not 17. What becomes full otherwise than by charging is none.
    #expect(
      plays == [
        "6 battery-low plays warning", "52 charger plays selection-on", "80 battery-full plays path-complete",
        "90 charger plays selection-off",
      ])
  }
}
