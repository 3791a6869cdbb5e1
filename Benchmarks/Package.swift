// swift-tools-version: 6.3
import PackageDescription

// The benchmarks compile the product's own sources (through links) instead of depending on its package, because what they
// measure is `package`, which another package cannot see.
let features: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "soundd-benchmarks",
  products: [
    // Other programs load these.
    .library(name: "SDLDevice", type: .dynamic, targets: ["SDLDevice"]),
    .library(name: "CommitStamp", type: .dynamic, targets: ["CommitStamp"]),
  ],
  targets: [
    .target(name: "CALSA", dependencies: ["CLinux"]),
    .target(name: "CMixer"),
    .target(name: "CLinux"),
    .target(name: "SoundTrigger", dependencies: ["CALSA", "CMixer", "CLinux"], swiftSettings: features),
    .target(name: "SoundWire", dependencies: ["SoundTrigger"], swiftSettings: features),
    .target(name: "AllocationCounter"),
    .executableTarget(
      name: "Allocations", dependencies: ["SoundTrigger", "AllocationCounter"], swiftSettings: features),
    .executableTarget(name: "UpdatePath", dependencies: ["SoundTrigger", "SoundWire"], swiftSettings: features),
    .executableTarget(name: "Loading", dependencies: ["SoundTrigger", "CLinux"], swiftSettings: features),
    .executableTarget(name: "RenderPath", dependencies: ["SoundTrigger", "CMixer"], swiftSettings: features),
    .executableTarget(name: "PlayCost", dependencies: ["SoundTrigger"], swiftSettings: features),
    .executableTarget(name: "PlayerCost", dependencies: ["SoundTrigger"], swiftSettings: features),
    .executableTarget(
      name: "Observing", dependencies: ["SoundTrigger", "AllocationCounter", "CLinux"], swiftSettings: features),
    .executableTarget(name: "SocketLoad"),
    .executableTarget(name: "StartUp"),
    .executableTarget(name: "FileChange", dependencies: ["SoundTrigger", "CLinux"], swiftSettings: features),
    .target(name: "Peers"),
    .target(name: "SDLDevice"),
    .target(name: "CommitStamp"),
    .executableTarget(
      name: "RenderPeers", dependencies: ["SoundTrigger", "CMixer", "Peers"], swiftSettings: features),
    .systemLibrary(name: "CSystemALSA"),
    .executableTarget(
      name: "Latency", dependencies: ["CSystemALSA"], swiftSettings: features,
      linkerSettings: [.linkedLibrary("asound")]),
  ]
)
