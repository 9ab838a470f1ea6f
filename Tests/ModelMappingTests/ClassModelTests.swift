import Foundation
import ModelMapping
import Testing
import ThrownErrors

// Each test uses its own instances on one thread only.
private class Vehicle: Model, @unchecked Sendable {
  @Field("vehicle_id") var id = ""
  @Field("where", "city") var city = ""
  @Field var wheels = 4

  required init() {}
}

private class Truck: Vehicle, @unchecked Sendable {
  @Field var load = 0.5
  @Field("where", "yard") var yard: Int?
  @Ignored var isSelected = false

  required init() {
    super.init()
    wheels = 6  // a default of the subclass for a field of the superclass
  }
}

private final class Tanker: Truck, @unchecked Sendable {
  @Field var contents = Vehicle()  // a model as a default creates its own fields
  @Field var spare: [Vehicle] = [Vehicle(), Vehicle()]

  required init() {
    let other = Vehicle()  // so does a model that is discarded
    super.init()
    city = other.city
  }
}

private struct Fleet: Model {
  @Field var trucks: [Truck] = []
}

private final class Person: Model, @unchecked Sendable {
  @Field var parent: Person? = nil
  @Field var children: [Person] = []
  required init() {}
}

private final class Employee: Model, @unchecked Sendable {
  struct Boss {
    weak var employee: Employee?
  }
  var boss = Boss()
  @Field var staff: [Employee] = []
  required init() {}
}

private class Station: NSObject, Model, @unchecked Sendable {
  private let lock = NSLock()
  @Field var name = ""
  private let boss = Employee.Boss()
  @Field var platforms = 1

  required override init() {}
}

private final class Depot<Content: Codable & Sendable>: Station, @unchecked Sendable {
  @Field var contents: Content? = nil
  private let onClose: () -> Void = {}
  @Field var isOpen = true

  required init() {}
}

private final class Shown: Model, CustomReflectable, @unchecked Sendable {
  final class Content {
    @Field var name = ""
    var field: Field<String> { _name }
  }
  let content = Content()

  var customMirror: Mirror { Mirror(self, children: ["_name": content.field]) }
}

@Suite struct ClassModelTests {
  @Test func anObjectMayHaveOtherPropertiesBetweenItsFields() throws {
    let station = Station()
    (station.name, station.platforms) = ("Ulm", 8)
    #expect(String(decoding: try station.json(), as: UTF8.self) == #"{"name":"Ulm","platforms":8}"#)
    let depot = Depot<[Int]>()
    (depot.name, depot.contents, depot.isOpen) = ("Kiel", [1, 2], false)
    let text = #"{"contents":[1,2],"isOpen":false,"name":"Kiel","platforms":1}"#
    #expect(String(decoding: try depot.json(), as: UTF8.self) == text)
    #expect(String(decoding: try (depot as Station).json(), as: UTF8.self) == text)
    #expect(String(decoding: try Depot<[Int]>(json: text).json(), as: UTF8.self) == text)
  }

  @Test func anObjectMayShowFieldsOfAnotherObject() throws {
    let shown = Shown()
    shown.content.name = "Mia"
    #expect(String(decoding: try shown.json(), as: UTF8.self) == #"{"name":"Mia"}"#)
    #expect(try Shown(json: #"{"name": "Ute"}"#).content.name == "Ute")
  }

  @Test func aWeakReferenceIsNeitherAFieldNorAMistake() throws {
    let boss = Employee()
    boss.staff = [Employee(), Employee()]
    for employee in boss.staff { employee.boss.employee = boss }
    let copy = try Employee(json: boss.json())
    #expect(copy.staff.count == 2 && copy.staff[0].boss.employee == nil)
  }

  @Test func fieldsOfAllClassesAreReadAndWritten() throws {
    let text =
      #"{"vehicle_id": "v1", "where": {"city": "Kiel", "yard": 3}, "wheels": 8, "load": "2.5", "isSelected": true}"#
    let (truck, report) = try Truck.decode(json: text)
    #expect(truck.id == "v1" && truck.city == "Kiel" && truck.yard == 3 && truck.wheels == 8 && truck.load == 2.5)
    #expect(!truck.isSelected && report.entries.map(\.kind) == [.coercion])
    #expect(
      String(decoding: try truck.json(), as: UTF8.self)
        == #"{"load":2.5,"vehicle_id":"v1","wheels":8,"where":{"city":"Kiel","yard":3}}"#)
  }

  @Test func readValuesOverrideTheAssignmentsOfAnInitializer() throws {
    #expect(try Truck(json: #"{"wheels": 10}"#).wheels == 10)
    #expect(try Truck(json: "{}").wheels == 6)
    #expect(try Vehicle(json: "{}").wheels == 4)
  }

  @Test func modelsCreatedByAnInitializerAreNotMistakenForTheInstance() throws {
    let tanker = try Tanker(json: #"{"vehicle_id": "t", "contents": {"vehicle_id": "c"}, "where": {"city": "Ulm"}}"#)
    #expect(tanker.id == "t" && tanker.contents.id == "c" && tanker.city == "Ulm" && tanker.spare.count == 2)
    let copy = try Tanker(json: tanker.json())
    #expect(copy.id == "t" && copy.contents.id == "c" && copy.spare.map(\.id) == ["", ""])
  }

  @Test func changesOfAnInstanceAreSharedByAllReferences() throws {
    let truck = try Truck(json: #"{"load": 1}"#)
    let same = truck
    same.load = 9
    #expect(truck.load == 9)
  }

  @Test func classesCanBeInStructs() throws {
    let fleet = try Fleet(json: #"{"trucks": [{"vehicle_id": "a"}, {"vehicle_id": "b", "load": 2}]}"#)
    #expect(fleet.trucks.map(\.id) == ["a", "b"] && fleet.trucks.map(\.load) == [0.5, 2])
  }

  @Test func anInstanceKnowsItsClassWhenItIsWritten() throws {
    let vehicle: Vehicle = try Truck(json: #"{"load": 3}"#)
    #expect(String(decoding: try vehicle.json(), as: UTF8.self).contains(#""load":3"#))
  }

  @Test func anInstanceThatContainsItselfIsAnErrorInJSON() throws {
    let parent = Person()
    let child = Person()
    (parent.children, child.parent) = ([child], parent)
    defer { child.parent = nil }
    let error = try requireError(ModelError.self) { try parent.json() }
    #expect(error.code == .limitReached && error.message.contains("cycle"))
  }

  @Test func jsonWithTooManyLevelsOfArraysIsAnErrorThatSaysSo() throws {
    let person = Person()
    var last = person
    for _ in 1..<300 {
      let child = Person()
      last.children = [child]
      last = child
    }
    let error = try requireError(ModelError.self) { try person.json() }
    #expect(error.code == .limitReached && error.message.contains("512 or more"))
  }

  @Test func jsonOf511LevelsIsWrittenAndOf512IsAnError() throws {
    struct Nested: Model {
      @Field var next: [Nested]? = nil
    }
    // One object, and an array and an object around it for each further model: 511 levels.
    var model = Nested()
    for _ in 0..<255 { model = Nested(next: [model]) }
    let text = try model.json()
    _ = try Nested(json: text)
    struct Outer: Model {
      @Field var nested = Nested()
    }
    let error = try requireError(ModelError.self) { try Outer(nested: model).json() }
    #expect(error.code == .limitReached && error.message.contains("512 or more"))
    // Reading has a limit of 512 levels.
    _ = try Outer(json: Data(#"{"nested":"#.utf8) + text + Data("}".utf8))
  }

  @Test func jsonOfAnInfiniteNumberIsAnErrorOfTheEncoder() throws {
    struct Measure: Model {
      @Field var heights: [Double] = [.infinity]
    }
    let error = try requireError(EncodingError.self) { try Measure().json() }
    guard case .invalidValue(_, let context) = error else { throw error }
    #expect(context.codingPath.map(\.stringValue).first == "heights")
  }

  @Test func deeplyNestedInstancesAreWrittenAndReadBack() throws {
    let person = Person()
    var last = person
    for _ in 1..<400 {
      let next = Person()
      (last.parent, last) = (next, next)
    }
    var (levels, next) = (0, try Person(json: person.json()) as Person?)
    while let level = next { (levels, next) = (levels + 1, level.parent) }
    #expect(levels == 400)
  }
}
