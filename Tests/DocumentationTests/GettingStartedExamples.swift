import Foundation
import GlobalData
import GlobalDataTesting
import TestSupport
import Testing

extension GlobalData.Keys {
  fileprivate static let visits = Key("visits", default: 0)
}

extension GlobalData.Keys {
  fileprivate static let volume = Key("volume", default: 0.5)
}

/// The examples of "Getting started" and of the front page, one after the other.
@Suite struct GettingStartedExamples {
  @Test func aToolKeepsACount() async throws {
    try await GlobalData.withStore(.inMemory()) {
      let visits = try await GlobalData.update { data in
        data[.visits] += 1
        return data[.visits]
      }
      print("visit", visits)  // visit 1
      #expect(visits == 1)
    }
  }

  struct User: Codable, Equatable {
    var name: String
    var isAdmin = false
  }

  @Test func aValueIsStoredReadAndForgotten() async throws {
    try await GlobalData.withStore(.inMemory()) {
      try await GlobalData.set(User(name: "Ada"), forKey: "user")

      if let user = try GlobalData.object(User.self, forKey: "user") {
        print("welcome back, \(user.name)")
      }
      #expect(try GlobalData.object(User.self, forKey: "user") == User(name: "Ada"))

      print(GlobalData[.visits])
      try await GlobalData.update { $0[.visits] += 1 }
      #expect(GlobalData[.visits] == 1)

      GlobalData.register(User.self)  // at launch
      try await GlobalData.set([User(name: "Ada"), "a note", 3] as [any Sendable], forKey: "recent")
      let recent = try GlobalData.object(forKey: "recent") as? [any Sendable]
      #expect(recent?.first as? User == User(name: "Ada"))

      try await GlobalData.clear(keeping: ["visits"])
      #expect(GlobalData.allKeys == ["visits"])
      // The article has both lines together.
      try await GlobalData.clear(keeping: ["visits"])
      try await GlobalData.clear()  // memory is empty, and the file is gone
      #expect(GlobalData.allKeys.isEmpty)
    }
  }

  struct Settings: Archivable {
    var theme = "light"
    var fontSize = 14.0

    static let archiveDefaults: [String: any Encodable & Sendable] = ["fontSize": 14.0]
  }

  @Test func aNewPropertyHasItsDefaultInOldValues() async throws {
    let store = GlobalData.inMemory()
    var old = ArchiveObject()
    old["theme"] = "dark"
    try await store.set(ArchiveValue.object(old), forKey: "settings")
    let settings = try #require(try store.object(Settings.self, forKey: "settings"))
    #expect(settings.theme == "dark" && settings.fontSize == 14)
  }

  @Test func anErrorSaysWhatToDo() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let faults = FaultInjector()
      await GlobalData.withStore(.faulty(at: folder.appendingPathComponent("store"), faults)) {
        faults.fail(.write, with: .noSpace)

        do {
          try await GlobalData.set(User(name: "Ada"), forKey: "user")
        } catch let error as GlobalDataError where error.errorNumber == ENOSPC {
          print("There is no room on this device.")  // nothing was changed
        } catch let error as GlobalDataError where error.code == .locked {
          print("Unlock the device first.")  // an iPhone, before it was unlocked for the first time
        } catch {
          print(error)  // the file, the key, the types, the cause, and what to do
        }
        #expect(GlobalData.allKeys.isEmpty)
      }
    }
  }

  struct CarInfo: Codable {
    var carID: String
    var plate: String
  }

  @Test func theFrontPageCompilesAndHolds() async throws {
    var configuration = GlobalData.Configuration(location: .memory)
    configuration.registry = TypeRegistry()
    try await GlobalData.withStore(GlobalData(configuration)) {
      GlobalData.register(CarInfo.self)  // once, at launch

      let car = CarInfo(carID: "40211", plate: "HH-GD 4021")
      try await GlobalData.set(car, forKey: "car")
      try await GlobalData.set([car, "note", 3] as [any Sendable], forKey: "mixed")

      let same = try GlobalData.object(CarInfo.self, forKey: "car")  // CarInfo?
      let any = try GlobalData.object(forKey: "car")  // (any Sendable)?, a CarInfo
      #expect(same?.plate == car.plate)
      #expect((any as? CarInfo)?.carID == car.carID)
      try await GlobalData.clear()  // logout: nothing in memory, no file
    }
  }

  @Test func theSummaryOfTheStoreCompilesAndHolds() async throws {
    let car = CarInfo(carID: "40211", plate: "HH-GD 4021")
    try await GlobalData.withStore(.inMemory()) {
      try await GlobalData.set(car, forKey: "car")
      let same = try GlobalData.object(CarInfo.self, forKey: "car")
      #expect(same?.plate == car.plate)
    }
  }
}

// SwiftUI only exists on Apple's systems. Elsewhere, .ci/snippets.py compiles the view with a stand-in for it.
#if canImport(SwiftUI)

import SwiftUI

private struct Settings: View {
  @Stored(.volume) var volume

  var body: some View {
    Slider(value: $volume)
  }
}

#endif
