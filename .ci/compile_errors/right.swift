// Right uses, which have to compile, and soon: see ../compile_errors.py.

import Foundation
import GlobalData
import ModelMapping

final class Dog: Codable { var name = "" }

struct Car: Codable, Sendable, Identifiable { var id = 1 }

extension GlobalData.Keys {
  nonisolated static let count = Key("count", default: 0)
  nonisolated static let volume = Key("volume", default: 0.5)
  nonisolated static let title = Key("title", default: "")
  nonisolated static let nickname = Key<String?>("nickname")
  static let dog = Key("dog", default: Dog())
}

struct Member: Model {
  @Field var plate: String?
  @Field("a", "b") var name = ""
  @Field("c", as: .unixSeconds) var date: Date?
  @Ignored var selected: Bool?
  @Ignored(.json) var loaded = false
}

// Nonisolated also where the main actor is the default, because of the protocols they conform to.

struct Garage: Model, Identifiable {
  @Field var id = 1
  @Field var name = ""
}

struct Drawing: Archivable, Identifiable {
  var id = 1
  @Polymorphic var values: [any Sendable] = []
  @UnknownFields var rest
}

func predicates(_ store: GlobalData) {
  print(store.collection(of: Garage.self).filter(#Predicate { $0.id > 1 }, sortedBy: [SortDescriptor(\.name)]))
  print(store.collection(of: Drawing.self).filter(#Predicate { $0.id > 1 }))
}

// Expressions that the compiler took seconds for with more overloads beside the right ones.

func texts(_ store: GlobalData) throws {
  let a = GlobalData[.title] + " " + GlobalData[.title] + "," + (GlobalData[.nickname] ?? "x") + GlobalData[.title]
  let b = store[.title] + " " + store[.title] + "," + (store[.nickname] ?? "x") + store[.title]
  let c = try (store.object(String.self, forKey: "a") ?? "x") + " " + (GlobalData.object(String.self, forKey: "b") ?? "") + ","
  let d = try GlobalData.value(for: .title) + " " + (store.value(for: .nickname) ?? "x") + "," + store.value(for: .title)
  print(a, b, c, d, "\(GlobalData[.count]) of \(store[.count] + 1), \(GlobalData[.volume] * 100)% " + GlobalData[.title])
}

func numbers(_ store: GlobalData) throws {
  let a = GlobalData[.volume] + GlobalData[.volume] * 2 - store[.volume] / 3 + 1
  let b = Double(GlobalData[.count]) + GlobalData[.volume] * 2.5 - Double(store[.count]) / 3
  let c = [GlobalData[.count], GlobalData[.count] * 2, 3].map { Double($0) }
  let d = max(GlobalData[.volume], 1) * min(GlobalData[.volume], 3) + abs(GlobalData[.volume] - 1)
  let e = GlobalData[.count] > 3 && GlobalData[.volume] < 2.5 || GlobalData[.title] == "a" && GlobalData[.count] != 2
  let f = GlobalData.collection(of: Car.self).all.map { $0.id * 2 + 1 }.reduce(0, +) + store.collection(of: Car.self).count * 3
  print(a, b, c, d, e, f)
}

// A value that becomes one of another type by itself.

@MainActor func converted(_ store: GlobalData, _ dog: GlobalData.Key<Dog>) async throws {
  print(GlobalData[.dog] === store[.dog], GlobalData[dog] !== store[dog])
  let object: AnyObject? = GlobalData[.dog]
  let value: any Sendable = GlobalData[.count]
  let values: [Any] = [GlobalData[.title], store[.count], try store.value(for: .volume)]
  let number: Int? = try GlobalData.value(for: .count)
  let double: Double? = try await GlobalData.update { data in data[.volume] }
  try await store.update { data in
    let number: Int? = data[.count]
    let object: AnyObject = data[.dog]
    print(data[.dog] === object, number == data[.count], data[.nickname] as Any)
  }
  let float: CGFloat = CGFloat(GlobalData[.volume]) + GlobalData[.volume]
  print(object as Any, value, values, number ?? 0, double ?? 0, float)
}

func changes(_ store: GlobalData) -> [AsyncStream<GlobalData.Change>] {
  [GlobalData.changes, GlobalData.changes(of: [.count]), store.changes, store.changes(of: [.count, .title])]
}

func updates(_ store: GlobalData) async throws {
  try await store.update { data in
    data[.count] = data[.count] * 2 + data[.count] - 3
    data[.volume] = data[.volume] * 2 + data[.volume] - 3 + data[.volume] / data[.volume]
    let text = data[.title] + " " + data[.title] + ", " + data[.title]
    print(text, data[.volume] * 2 + data[.volume] - 3 + data[.volume] / data[.volume])
    data[.nickname] = nil
    data[.title] += data[.nickname] ?? "x"
  }
  try await GlobalData.update { $0[.count] += 1 }
}
