// swift-tools-version: 6.3
import PackageDescription

// Like the benchmarks, the fuzz targets compile the product's own sources through links, because the sources must be instrumented
// and what the targets call is `package` or `internal`. libFuzzer contains the main function; `./run` has the flags.
let features: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "soundd-fuzz",
  dependencies: [.package(url: "https://github.com/apple/swift-log", from: "1.16.2")],
  targets: [
    .target(name: "CALSA", dependencies: ["CLinux"]),
    .target(name: "CMixer"),
    .target(name: "CLinux"),
    .target(name: "SoundTrigger", dependencies: ["CALSA", "CMixer", "CLinux"], swiftSettings: features),
    .target(name: "SoundWire", dependencies: ["SoundTrigger"], swiftSettings: features),
    // Without the main function and the commands, because no bytes from outside reach them.
    .target(
      name: "soundd",
      dependencies: ["SoundTrigger", "SoundWire", "CALSA", "CLinux", .product(name: "Logging", package: "swift-log")],
      exclude: ["Commands"], swiftSettings: features),
    .target(name: "Harness", dependencies: ["SoundTrigger", "SoundWire", "soundd"], swiftSettings: features),
    .executableTarget(
      name: "LineTarget", dependencies: ["Harness", "SoundTrigger", "SoundWire", "soundd"], swiftSettings: features),
    .executableTarget(
      name: "JSONTarget", dependencies: ["Harness", "SoundTrigger", "SoundWire", "soundd"], swiftSettings: features),
    .executableTarget(
      name: "ConfigurationTarget", dependencies: ["Harness", "SoundTrigger", "SoundWire", "soundd"],
      swiftSettings: features),
    .executableTarget(name: "CollectionTarget", dependencies: ["Harness", "SoundTrigger"], swiftSettings: features),
    .target(name: "CFuzz"),
    .executableTarget(
      name: "ClipTarget", dependencies: ["Harness", "SoundTrigger", "CFuzz"], swiftSettings: features),
  ]
)
