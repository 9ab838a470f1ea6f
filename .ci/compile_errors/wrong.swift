// What users get wrong, and what the compiler has to say of it, as a regular expression; see ../compile_errors.py.

import Foundation
import GlobalData
import ModelMapping

struct NotCodable: Identifiable { var id = 1 }
struct NotIdentifiable: Codable {}
struct Car: Codable, Sendable, Identifiable { var id = 1 }

extension GlobalData.Keys {
  nonisolated static let visits = Key("visits", default: 0)
  nonisolated static let nickname = Key<String?>("nickname")
  nonisolated static let list = Key("list", default: [1])
  static let car = Key("car", default: Car())
}

// A text in the place of a key. The message that comes first names the method; with the label that it asks for, there is a sentence.

func readsByName() { let value = GlobalData["a"]; print(value) }  // error: missing argument label 'objectForKey:'
func readsByName(_ name: String) { print(GlobalData[name]) }  // error: missing argument label 'objectForKey:'
func readsAndCasts() -> Int? { GlobalData["a"] as? Int }  // error: missing argument label 'objectForKey:'
func readsWithLabel() { print(GlobalData[objectForKey: "a"]) }  // error: unavailable: read .*with object\(_:forKey:\)
func readsTyped() -> Int { GlobalData["a"] }  // error: 'String' to expected argument type 'GlobalData.Key<Int>'
func readsFrom(_ store: GlobalData) { let value = store["a"]; print(value) }  // error: missing argument label 'objectForKey:'
func readsFromWithLabel(_ store: GlobalData) { print(store[objectForKey: "a"]) }  // error: unavailable: read .*with object\(_:forKey:\)
func throwing() throws { _ = try GlobalData.value(for: "a") }  // error: have 'for:', expected 'forKey:'
func throwing(_ store: GlobalData) throws { _ = try store.value(for: "a") }  // error: have 'for:', expected 'forKey:'
func throwingWithLabel() throws { _ = try GlobalData.value(forKey: "a") }  // error: unavailable: read .*with object\(_:forKey:\)
func throwingWithLabel(_ store: GlobalData) throws { _ = try store.value(forKey: "a") }  // error: unavailable: read .*with object\(_:forKey:\)
func updates(_ store: GlobalData) async throws {
  try await store.update { data in
    data["a"] = 1  // error: missing argument label 'objectForKey:'|'String' to expected argument type 'GlobalData.Key<Int>'
  }
  try await store.update { data in
    let value = data["a"]  // error: missing argument label 'objectForKey:'
    print(value)
  }
  try await store.update { data in
    data[objectForKey: "a"] = 1  // error: unavailable: .*write it with set\(_:forKey:\)
  }
}
func setsByName() async throws { try await GlobalData.set(1, for: "visits") }  // error: 'String' to .* 'GlobalData.Key<Int>'
func setsByKey() async throws { try await GlobalData.set(1, forKey: .visits) }  // error: type 'String' has no member 'visits'

// A value of another type than the key's.

func wrongType() { let text: String = GlobalData[.visits]; print(text) }  // error: unavailable: the value of this key has another type
func wrongType(_ store: GlobalData) -> String { store[.visits] }  // error: unavailable: the value of this key has another type
func wrongArgument() { print(Array<String>(repeating: GlobalData[.visits], count: 1)) }  // error: unavailable: the value of this key has another type
func wrongCondition() { if GlobalData[.visits] {} }  // error: unavailable: the value of this key has another type
func notUnwrapped() -> String { GlobalData[.nickname] }  // error: unavailable: the value of this key has another type
func wrongThrown() throws { let text: String = try GlobalData.value(for: .visits); print(text) }  // error: unavailable: the value of this key has another type
func wrongSet() async throws { try await GlobalData.set("a", for: .visits) }  // error: 'GlobalData.Key<Int>', .* 'GlobalData.Key<String>'
func wrongInUpdate(_ store: GlobalData) async throws {
  try await store.update { data in
    data[.visits] = "a"  // error: unavailable: the value of this key has another type
  }
  try await store.update { data in
    let text: String = data[.visits]  // error: unavailable: the value of this key has another type
    print(text)
  }
}

// A member that the value does not have, or an argument of another type.

func misspells() { print(GlobalData[.car].idd) }  // error: value of type 'Car' has no member 'idd'
func passesText() { print(GlobalData[.car].id.isMultiple(of: "a")) }  // error: cannot convert value of type 'String'
func misspellsInUpdate() async throws {
  try await GlobalData.update { data in data[.car].idd = 2 }  // error: 'ValueThatAllowsThis'|has no member 'idd'
}
func passesTextInUpdate() async throws {
  try await GlobalData.update { data in data[.list].append("a") }  // error: 'ValueThatAllowsThis'|cannot convert value of type 'String'
}

// A key that is not declared, or cannot be.

func unknownKey() -> Int { GlobalData[.visit] }  // error: has no member 'visit'
func unknownKeyIsPrinted() { print(GlobalData[.visit]) }  // error: has no member 'visit'
func unknownKeyInUpdate() async throws { try await GlobalData.update { $0[.visit] += 1 } }  // error: has no member 'visit'
extension GlobalData.Keys {
  nonisolated static let noDefault = Key<Int>("a")  // error: unavailable: a key whose value is not optional needs a default
  nonisolated static let notCodable = Key("a", default: NotCodable())  // error: requires that 'NotCodable' conform to 'Decodable'
}

// A subscript that reads only.

func assigns() { GlobalData[.visits] = 3 }  // error: get-only
func assigns(_ store: GlobalData) { store[.visits] += 3 }  // error: get-only

// What is not Codable.

func registers() { GlobalData.register(NotCodable.self) }  // error: requires that 'NotCodable' conform to 'Decodable'
func registersMore() { GlobalData.register(Int.self, NotCodable.self) }  // error: requires that 'NotCodable' conform to 'Decodable'
func registers(_ store: GlobalData) { store.register(Int.self, NotCodable.self) }  // error: requires that 'NotCodable' conform to 'Decodable'
func sets() async throws { try await GlobalData.set(NotCodable(), forKey: "a") }  // error: requires that 'NotCodable' conform to 'Decodable'
func sets(_ value: NotCodable?) async throws { try await GlobalData.set(value, forKey: "a") }  // error: requires that 'NotCodable' conform to 'Decodable'
func sets(_ store: GlobalData) async throws { try await store.set(NotCodable(), forKey: "a") }  // error: requires that 'NotCodable' conform to 'Decodable'
func sets(_ value: any Sendable) async throws { try await GlobalData.set(value, forKey: "a") }  // error: conform to 'Decodable'
func sets(_ values: [Any]) async throws { try await GlobalData.set(values, forKey: "a") }  // error: 'Any' does not conform to the 'Sendable' protocol
func setsNil() async throws { try await GlobalData.set(nil, forKey: "a") }  // error: unavailable: remove a value with removeObject
func setsNil(_ store: GlobalData) async throws { try await store.set(nil, forKey: "a") }  // error: unavailable: remove a value with removeObject
func setsNilInUpdate() async throws {
  try await GlobalData.update { try $0.set(nil, forKey: "a") }  // error: unavailable: remove a value with removeObject
}
func setsInUpdate(_ store: GlobalData, _ value: any Sendable) async throws {
  try await store.update { data in
    try data.set(NotCodable(), forKey: "a")  // error: requires that 'NotCodable' conform to 'Decodable'
  }
  try await store.update { data in
    try data.set(value, forKey: "a")  // error: conform to 'Decodable'
  }
}
func reads() throws { _ = try GlobalData.object(NotCodable.self, forKey: "a") }  // error: no exact matches in call to static method 'object'|requires that 'NotCodable' conform to 'Decodable'
func collects() { _ = GlobalData.collection(of: NotCodable.self) }  // error: unavailable: .* conform to Codable and Identifiable
func collectsMore() { _ = GlobalData.collection(of: NotIdentifiable.self) }  // error: unavailable: .* conform to Codable and Identifiable
func collectsAndCounts() { print(GlobalData.collection(of: NotIdentifiable.self).count) }  // error: unavailable: .* conform to Codable and Identifiable
func misspells() async throws { try await GlobalData.collection(of: Car.self).delete { $0.ident == 1 } }  // error: value of type 'Car' has no member 'ident'
func maps() { print(GlobalData.collection(of: Car.self).map(\.id)) }  // error: 'GlobalData.ModelCollection<Car>' has no member 'map'
func collects(_ store: GlobalData) { _ = store.collection(of: NotIdentifiable.self) }  // error: unavailable: .* conform to Codable and Identifiable

// Labels of one kind of key with keys of the other.

func readsByKey() throws { _ = try GlobalData.object(Int.self, for: .visits) }  // error: unavailable: read a declared key with value\(for:\)
func readsByKey(_ store: GlobalData) throws { _ = try store.object(Int.self, for: .visits) }  // error: unavailable: read a declared key with value\(for:\)
func removesByKey() async throws { try await GlobalData.removeObject(for: .visits) }  // error: unavailable: .* with reset\(_:\)
func removesByKey(_ store: GlobalData) async throws { try await store.removeObject(for: .visits) }  // error: unavailable: .* with reset\(_:\)
func clearsWithoutBrackets() async throws { try await GlobalData.clear(keeping: .visits) }  // error: unavailable: .* in brackets
func clearsWithoutBrackets(_ store: GlobalData) async throws { try await store.clear(keeping: .visits) }  // error: unavailable: .* in brackets
func watchesWithoutBrackets() async { for await change in GlobalData.changes(of: .visits) { print(change) } }  // error: unavailable: .* in brackets
func watchesWithoutBrackets(_ store: GlobalData) { print(store.changes(of: .visits)) }  // error: unavailable: .* in brackets

// Keys of two kinds.

func clears() async throws { try await GlobalData.clear(keeping: ["a", .visits]) }  // error: 'String' to expected element type 'GlobalData.Keys'

// Writes that nobody waits for.

func forgets() async throws { try GlobalData.set(1, forKey: "a") }  // error: 'async' but is not marked with 'await'
func forgetsBoth() async throws { GlobalData.set(1, for: .visits) }  // error: 'async' but is not marked with 'await'
func cannotWait() { GlobalData.removeObject(forKey: "a") }  // error: 'async' call in a function that does not support concurrency
func waitsInUpdate() async throws {
  try await GlobalData.update { data in await data.set(1, forKey: "a") }  // error: async .* expecting synchronous function type
}

// Fields.

struct NoDefault: Model { @Field var plate: String }  // error: unavailable: a field needs a default value or an optional type
struct NoDefaultBehindPath: Model { @Field("a", "b") var plate: String }  // error: unavailable: a field needs a default value or an optional type
struct NoDefaultConverted: Model { @Field("a", as: .unixSeconds) var date: Date }  // error: unavailable: a field needs a default value or an optional type
struct NoDefaultIgnored: Model { @Ignored var plate: String }  // error: unavailable: an ignored property needs a default value or an optional type
struct NoDefaultInStorage: Model { @Ignored(.json) var plate: String }  // error: unavailable: an ignored property needs a default value or an optional type
struct NotCodableField: Model { @Field var value: NotCodable? }  // error: unavailable: .* Codable and Sendable
struct NotCodableDefault: Model { @Field var value = NotCodable() }  // error: requires that 'NotCodable' conform to 'Encodable'
