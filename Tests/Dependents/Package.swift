// swift-tools-version: 6.2
import PackageDescription

// Programs that depend on the library, one for each way in which the compiler may check isolation in a program of others.
// `make examples` builds and runs them.
let library: [Target.Dependency] = ["SoundTrigger", "SoundTriggerTesting"].map { .product(name: $0, package: "soundd") }

let package = Package(
  name: "dependents",
  dependencies: [.package(name: "soundd", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "MainActorByDefault", dependencies: library, swiftSettings: [.defaultIsolation(MainActor.self)]),
    .executableTarget(name: "Swift6", dependencies: library),
    .executableTarget(name: "Swift5", dependencies: library, swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
)
