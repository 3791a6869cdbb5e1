// swift-tools-version: 6.2
import PackageDescription

let soundTrigger = Target.Dependency.product(name: "SoundTrigger", package: "soundd")
let programs = ["SharedTrigger", "AsyncButton", "DelayedTask", "Stepper", "LocalCopy", "BuildWatcher", "ViewAdapter", "OwnLoop"]

let package = Package(
  name: "examples",
  // Outside of this repository: .package(url: "…/soundd", from: "0.2.0", traits: []). Without `traits: []` SwiftPM also fetches what
  // only the program soundd needs.
  dependencies: [.package(name: "soundd", path: "../..", traits: [])],
  targets: [
    .target(
      name: "Stage", dependencies: [soundTrigger, .product(name: "SoundTriggerTesting", package: "soundd")])
  ] + programs.map { .executableTarget(name: $0, dependencies: ["Stage", soundTrigger]) }
)
