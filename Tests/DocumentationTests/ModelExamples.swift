import Foundation
import GlobalData
import ModelMapping
import Testing
import ThrownErrors

// The examples about models, as they appear in the documentation.

enum Status: String, Codable, Sendable {
  case driving, parked
}

@Suite struct ModelExamples {
  struct Member: Model {
    @Field("level") var vipLevel = 1
    @Field("profile", "nick_name") var nickName = ""
    @Field var accountID: Int? = nil
    @Ignored var selected = false
  }

  struct Car: Model {
    @Field var status = OpenEnum(Status.parked)
  }

  struct Garage: Model {
    @Field(options: .lossy) var cars: [Car] = []
    @Field(options: .orSingle) var labels: [String] = []
    @Field var status = OpenEnum(Status.parked)
  }

  struct Reference: Model {
    @Field("level") var vipLevel = 1
    @Field var accountID: Int? = nil
    @Field("profile", "nick_name") var nickName = ""
    @Field("registered", as: .unixSeconds) var registered = Date()
    @Field("tel", formerly: "phone") var tel = ""
    @Field(json: "id", stored: "memberID") var memberID = ""
    @Field(stored: nil) var token = ""
    @Field("score", ifInvalid: -1) var score = 0
    @Field(options: .lossy) var cars: [Car] = []
  }

  struct Path: Model {
    @Field(json: ["profile", "nick_name"], stored: "nickName") var nickName = ""
  }

  struct Scopes: Model {
    @Ignored var selected = false
    @Ignored(.storage) var token = ""
    @Ignored(.json) var loadedAt = Date()
    @Ignored(.writing) var serverTime = 0
  }

  struct Ticket: Model {
    @Field("user", "since", as: .unixSeconds) var since = Date()
    @Field("user", stored: nil, options: .readOnly) var user: [String: String] = [:]  // includes "since"
  }

  struct Note: Model, @unchecked Sendable {
    @Field(as: .secureCoding) var id = NSUUID()
  }

  class Vehicle: Model, @unchecked Sendable {
    @Field("vehicle_id") var id = ""
    @Field var wheels = 4
    required init() {}
  }

  final class Truck: Vehicle, @unchecked Sendable {
    @Field var load = 0.5
    nonisolated required init() {  // as that of Vehicle, also where the main actor is the default
      super.init()
      wheels = 6
    }
  }

  private let data = Data(#"{"body": {"data": [{}]}, "level": 3, "cars": [{}, 1]}"#.utf8)

  @Test func aModelIsReadFromJSON() throws {
    let member = try Member(json: data)
    let members = try [Member](json: data, at: "body", "data")
    let (value, report) = try Member.decode(json: data)
    let sent = try member.json()
    #expect(value.vipLevel == 3 && members.count == 1 && !report.isEmpty && !sent.isEmpty)
  }

  @Test func aFieldThatContainsAnotherOneIsReadFromJSONOnly() async throws {
    let ticket = try Ticket(json: #"{"user": {"name": "Ada", "since": 60}}"#)
    #expect(ticket.user == ["name": "Ada", "since": "60"] && ticket.since == Date(timeIntervalSince1970: 60))
    let store = GlobalData.inMemory()
    try await store.set(ticket, forKey: "ticket")
    let stored = try #require(try store.object(Ticket.self, forKey: "ticket"))
    #expect(stored.user.isEmpty && stored.since == ticket.since)
  }

  @Test func theReportListsWhatWasLeftOut() throws {
    let (garage, report) = try Garage.decode(json: data)
    for entry in report.entries(.dropped) { print(entry.path, entry.found) }
    print(report)
    #expect(garage.cars.count == 1 && report.entries(.dropped).count == 1)
  }

  @Test func modelsInAnEnvelopeHaveAReport() throws {
    let (cars, report) = try [Car].decode(json: data, at: "body", "data")
    print(report)
    #expect(cars.count == 1)
    let car = cars[0]
    let isDriving = car.status == .driving
    #expect(!isDriving)
  }

  @Test func strictModeThrows() {
    #expect(throws: ModelError.self) { () throws in
      let garage = try Garage(json: data, mode: .strict)
      print(garage)
    }
  }

  @Test func anyDecoderReports() throws {
    let encoder = PropertyListEncoder()
    encoder.userInfo[.modelKeys] = ModelKeys.stored
    let data = try encoder.encode(Garage())
    let decoder = PropertyListDecoder()
    let collector = ReportCollector()
    decoder.userInfo[.reportCollector] = collector
    let garage = try decoder.decode(Garage.self, from: data)
    print(collector.report)
    #expect(garage.cars.isEmpty)
  }

  @Test func aMemberIsReportedByAnyDecoder() throws {
    let decoder = JSONDecoder()
    let collector = ReportCollector()
    decoder.userInfo[.reportCollector] = collector
    let member = try decoder.decode(Member.self, from: data)
    print(collector.report)
    #expect(member.vipLevel == 3)
  }

  @Test func anErrorHasItsPlace() throws {
    let data = Data(#"{"labels": 1, "cars": 1}"#.utf8)
    var garage = Garage()
    do {
      garage = try Garage(json: data)
    } catch let DecodingError.typeMismatch(_, context) {
      print((context.underlyingError as? ModelError)?.location ?? "somewhere")
    }
    #expect(garage.cars.isEmpty)
  }

  @Test func subclassesHaveDefaultsOfTheirOwn() throws {
    #expect(try Truck(json: "{}").wheels == 6)
  }
}

@Suite struct ReadmeModelExamples {
  typealias Car = ModelExamples.Car

  struct Member: Model {
    @Field("level") var vipLevel = 1
    @Field var accountID: Int? = nil
    @Field("profile", "nick_name") var nickName = ""
    @Field("registered", as: .unixSeconds) var registered = Date()
    @Field("tel", formerly: "phone") var tel = ""
    @Field(json: "id", stored: "memberID") var memberID = ""
    @Field(options: .lossy) var cars: [Car] = []
    @Ignored var selected = false
  }

  @Test func theReadmesModelGoesIntoAStore() async throws {
    func go(_ data: Data) async throws {
      let members = try [Member](json: data, at: "body", "data")
      let (value, report) = try Member.decode(json: data)
      let strict = try Member(json: data, mode: .strict)
      try await GlobalData.set(value, forKey: "member")
      let sent = try value.json()
      print(members, report, strict, sent)
    }
    let error = await GlobalData.withStore(.inMemory()) {
      await expectError(ModelError.self) { try await go(Data(#"{"body": {"data": []}}"#.utf8)) }
    }
    #expect(error?.code == .notStrict)
  }
}
