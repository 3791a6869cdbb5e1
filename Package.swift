// swift-tools-version: 6.3
import PackageDescription

let inCI = Context.environment["CI"] != nil || Context.environment["WERROR"] != nil

/// One list for every Swift target, so that no target is held to less than another.
let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (inCI ? [.treatAllWarnings(as: .error)] : [])

let cSettings: [CSetting] = inCI ? [.treatAllWarnings(as: .error)] : []

/// What the program needs and the library does not: `traits: []` keeps these packages out of a package that depends on the library.
let daemon = TargetDependencyCondition.when(traits: ["Daemon"])
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: daemon)
let logging = Target.Dependency.product(name: "Logging", package: "swift-log", condition: daemon)

let package = Package(
  name: "soundd",
  products: [
    .library(name: "SoundTrigger", targets: ["SoundTrigger"]),
    .library(name: "SoundTriggerTesting", targets: ["SoundTriggerTesting"]),
    .executable(name: "soundd", targets: ["soundd"]),
  ],
  traits: [
    .trait(name: "Daemon", description: "The program soundd, which needs swift-argument-parser and swift-log."),
    .default(enabledTraits: ["Daemon"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .target(name: "CALSA", dependencies: ["CLinux"], cSettings: cSettings),
    .target(name: "CMixer", cSettings: cSettings),
    .target(name: "CLinux", cSettings: cSettings),
    .target(
      name: "SoundTrigger", dependencies: ["CALSA", "CMixer", "CLinux"],
      swiftSettings: settings),
    .target(name: "SoundWire", dependencies: ["SoundTrigger"], swiftSettings: settings),
    .target(name: "SoundTriggerTesting", dependencies: ["SoundTrigger"], swiftSettings: settings),
    .executableTarget(
      name: "soundd",
      dependencies: ["SoundTrigger", "SoundWire", "CALSA", "CLinux", argumentParser, logging],
      swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["SoundTrigger", "CALSA", "CLinux"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .target(name: "AllocationCounter", path: "Tests/AllocationCounter", cSettings: cSettings),
    // Run by the integration tests, as several processes.
    .executableTarget(name: "FileStorm", path: "Tests/FileStorm", swiftSettings: settings),
    .testTarget(
      name: "SoundTriggerTests",
      dependencies: [
        "SoundTrigger", "SoundTriggerTesting", "TestSupport", "AllocationCounter", "CALSA", "CMixer", "CLinux",
      ],
      exclude: ["Fixtures"],
      swiftSettings: settings),
    .testTarget(
      name: "sounddTests",
      dependencies: ["soundd", "SoundTrigger", "SoundWire", "TestSupport", "AllocationCounter", argumentParser],
      exclude: ["Fixtures"],
      swiftSettings: settings),
    .testTarget(
      name: "IntegrationTests",
      dependencies: ["soundd", "SoundTrigger", "SoundTriggerTesting", "SoundWire", "TestSupport"],
      exclude: ["mount-server", "recorded", "sound-server", "user-manager"],
      swiftSettings: settings),
  ]
)
