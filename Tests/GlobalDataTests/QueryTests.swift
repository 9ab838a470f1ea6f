import CodingSupport
import Foundation
import TestSupport
import Testing

@testable import GlobalData

private struct Car: Identifiable, Codable, Equatable, Sendable {
  struct Place: Codable, Equatable, Sendable {
    var city: String
    var number: Int
  }

  var id: Int
  var plate: String
  var speed: Int
  var weight: Double
  var isOnline: Bool
  var remark: String?
  var place: Place
  var stops: [Int]
  var isLate: String { remark == "late" ? "yes" : "no" }

  static func random(_ id: Int, _ random: inout SeededGenerator) -> Car {
    Car(
      id: id, plate: ["HH 1", "HH 2", "B 1", "", "b 1"][random.below(5)], speed: random.below(6) - 2,
      weight: [0, 1.5, -2, .infinity, .nan][random.below(5)], isOnline: random.below(2) == 0,
      remark: [nil, "", "late", "HH 1"][random.below(4)],
      place: Place(city: ["Hamburg", "Berlin"][random.below(2)], number: random.below(4)),
      stops: (0..<random.below(3)).map { _ in random.below(4) })
  }
}

private typealias Condition = any StandardPredicateExpression<Bool>

/// Queries return the same as the functions of arrays and Foundation's own evaluation.
@Suite struct QueryTests {
  @Test(arguments: 0..<20) func aPredicateReturnsTheSameAsItsEvaluation(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (answers, errors) = (Set<Bool>(), 0)
    for _ in 0..<60 {
      let predicate = Predicate<Car> { car in RandomCondition.make(about: car, depth: random.below(5), &random) }
      let function = predicateFunction(of: predicate)
      for id in 0..<20 {
        let car = Car.random(id, &random)
        let expected = Result { try predicate.evaluate(car) }
        switch (expected, Result { try withUnsafePointer(to: car, function) }) {
        case (.success(let expected), .success(let found)):
          #expect(found == expected, "\(predicate) of \(car)")
          answers.insert(expected)
        case (.failure(let expected), .failure(let found)):
          #expect(found as? PredicateError == expected as? PredicateError)
          errors += 1
        default: Issue.record("\(predicate) of \(car)")
        }
      }
    }
    #expect(answers.count == 2 && errors > 0, "these predicates distinguish nothing")
  }

  @Test func writtenPredicatesReturnTheSame() throws {
    var random = SeededGenerator(seed: 1)
    let (least, cities) = (1, ["Berlin"])
    let predicates: [Predicate<Car>] = [
      #Predicate { $0.speed > least && $0.isOnline }, #Predicate { !$0.isOnline || $0.weight <= 1.5 },
      #Predicate { $0.remark == nil }, #Predicate { $0.remark?.isEmpty ?? true }, #Predicate { $0.remark != "late" },
      #Predicate { $0.plate.contains("H") }, #Predicate { $0.plate.starts(with: "HH") },
      #Predicate { cities.contains($0.place.city) }, #Predicate { $0.stops.contains(2) },
      #Predicate { $0.stops.contains { $0 > least } }, #Predicate { car in car.stops.allSatisfy { $0 < car.speed } },
      #Predicate { (1...3).contains($0.speed) }, #Predicate { $0.speed * 2 - $0.place.number > least },
      #Predicate { $0.isOnline ? $0.speed > 0 : $0.plate == "B 1" }, #Predicate { $0.plate < $0.place.city },
      #Predicate { $0.weight == $0.weight },
      #Predicate { if let remark = $0.remark { remark.count > 2 } else { false } },
    ]
    for predicate in predicates {
      let function = predicateFunction(of: predicate)
      var answers = Set<Bool>()
      for id in 0..<300 {
        let car = Car.random(id, &random)
        let answer = try withUnsafePointer(to: car, function)
        answers.insert(answer)
        #expect(try predicate.evaluate(car) == answer, "\(predicate) of \(car)")
      }
      #expect(answers.count == 2, "\(predicate) distinguishes nothing")
    }
    let always = predicateFunction(of: #Predicate<Car> { _ in true })
    #expect(try withUnsafePointer(to: Car.random(0, &random), always))
  }

  @Test(arguments: 0..<10) func aPageIsAPartOfTheSortedResult(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let cars = GlobalData.inMemory().collection(of: Car.self)
    let all = (0..<random.below(60)).map { Car.random($0, &random) }
    try await cars.insert(all)
    let order = [SortDescriptor(\Car.plate, order: .reverse), SortDescriptor(\Car.speed)]
    for _ in 0..<60 {
      let offset = random.below(30) - 5
      let limit = [nil, -1, 0, 1, random.below(70), .max][random.below(6)]
      let least = random.below(5) - 2
      func page(_ cars: [Car]) -> [Int] { cars.dropFirst(max(0, offset)).prefix(max(0, limit ?? .max)).map(\.id) }
      let found = all.filter { $0.speed >= least }
      // Swift's sort keeps the order of equal elements.
      let sorted = found.sorted { ($1.plate, $0.speed) < ($0.plate, $1.speed) }
      let predicate = #Predicate<Car> { $0.speed >= least }
      #expect(cars.filter(predicate, offset: offset, limit: limit).map(\.id) == page(found))
      #expect(cars.filter(offset: offset, limit: limit).map(\.id) == page(all))
      #expect(cars.filter({ $0.speed >= least }, offset: offset, limit: limit).map(\.id) == page(found))
      #expect(cars.filter(predicate, sortedBy: order, offset: offset, limit: limit).map(\.id) == page(sorted))
      #expect(
        cars.filter({ $0.speed >= least }, sortedBy: order, offset: offset, limit: limit).map(\.id) == page(sorted))
      let byFunction = cars.filter(
        predicate, sortedBy: { ($1.plate, $0.speed) < ($0.plate, $1.speed) }, offset: offset, limit: limit)
      #expect(byFunction.map(\.id) == page(sorted))
      #expect(cars.first(where: predicate)?.id == found.first?.id)
      #expect(cars.first { $0.speed >= least }?.id == found.first?.id)
      #expect(cars.count(where: predicate) == found.count)
      #expect(cars.count { $0.speed >= least } == found.count)
    }
  }

  /// Descriptors of stored properties are turned into functions; the others are called. Each has its own direction, set
  /// initially or later, which Foundation does not always follow.
  @Test(arguments: (0..<20).oneIn(4)) func descriptorsSortAsDeclared(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let cars = GlobalData.inMemory().collection(of: Car.self)
    let all = (0..<40).map { Car.random($0, &random) }
    try await cars.insert(all)
    var fast = 0
    for _ in 0..<60 {
      let directions: [SortOrder] = [.forward, .reverse]
      let order = (0...random.below(3)).map { _ in
        let direction = directions[random.below(2)]
        var descriptor = [
          SortDescriptor(\Car.speed, order: direction), SortDescriptor(\Car.plate, order: direction),
          SortDescriptor(\Car.plate, comparator: .lexical, order: direction),
          SortDescriptor(\Car.weight, order: direction),
          SortDescriptor(\Car.remark, order: direction), SortDescriptor(\Car.place.city, order: direction),
          SortDescriptor(\Car.stops.count, order: direction), SortDescriptor(\Car.isLate, order: direction),
        ][random.below(8)]
        if random.below(4) == 0 { descriptor.order = directions[random.below(2)] }
        return descriptor
      }
      fast += order.count { ($0 as Any as? any PropertyComparing<Car>)?.comparison() != nil }
      func compare(_ left: Car, _ right: Car) -> ComparisonResult {
        order.lazy.map { $0.compare(left, right) }.first { $0 != .orderedSame } ?? .orderedSame
      }
      for (left, right) in zip(all, all.shuffled(using: &random)) {
        let precedes = [left, right].withUnsafeBufferPointer { GlobalData.precedence(order, of: $0)(0, 1) }
        #expect(precedes == (compare(left, right) == .orderedAscending), "\(order)")
      }
      // A weight that is not a number is equal to all others. This is not an order, so Swift may sort in any way.
      guard !order.contains(where: { $0.keyPath == \Car.weight }) else { continue }
      let limit = [nil, 5][random.below(2)]
      let expected = all.sorted { compare($0, $1) == .orderedAscending }.prefix(limit ?? .max)
      #expect(cars.filter(sortedBy: order, limit: limit).map(\.id) == expected.map(\.id), "\(order)")
    }
    #expect(fast > 30, "these descriptors distinguish nothing")
  }

  @Test func aLimitSortsNoMoreThanItReturns() async throws {
    let cars = GlobalData.inMemory().collection(of: Car.self)
    var random = SeededGenerator(seed: 3)
    try await cars.insert((0..<2000).map { Car.random($0, &random) })
    var comparisons = 0
    let first = cars.filter(
      sortedBy: {
        comparisons += 1
        return $0.id * 7919 % 2003 < $1.id * 7919 % 2003
      }, limit: 5)
    #expect(first.map { $0.id * 7919 % 2003 } == [0, 1, 2, 3, 4])
    #expect(comparisons < 2 * 2000)
  }

  @Test func anElementIsLeftOutAndReportedIfThePredicateCannotBeEvaluated() async throws {
    let store = GlobalData.inMemory()
    let cars = store.collection(of: Car.self)
    var random = SeededGenerator(seed: 4)
    let all = (0..<20).map { Car.random($0, &random) }
    try await cars.insert(all)
    var diagnostics = store.diagnostics.makeAsyncIterator()
    let named = cars.filter(#Predicate { $0.remark!.isEmpty == false })
    #expect(named.map(\.id) == all.filter { $0.remark?.isEmpty == false }.map(\.id))
    #expect(cars.count(where: #Predicate { $0.remark!.isEmpty == false }) == named.count)
    let first = try #require(all.first { $0.remark == nil })
    #expect(await diagnostics.next()?.key == "Car/\(first.id)")
  }
}

/// Conditions as `#Predicate` creates them. Foundation evaluates some of them for the library.
private enum RandomCondition {
  static func make(
    about car: PredicateExpressions.Variable<Car>, depth: Int, _ random: inout SeededGenerator
  ) -> Condition {
    guard depth > 0 else { return leaf(about: car, &random) }
    let first = make(about: car, depth: depth - 1, &random)
    switch random.below(4) {
    case 0: return not(first)
    case 1: return both(first, make(about: car, depth: depth - 1, &random))
    case 2: return either(first, make(about: car, depth: depth - 1, &random))
    default:
      let (second, third) = (
        make(about: car, depth: depth - 1, &random), make(about: car, depth: depth - 1, &random)
      )
      return choose(first, second, third)
    }
  }

  private static func leaf(about car: PredicateExpressions.Variable<Car>, _ random: inout SeededGenerator) -> Condition
  {
    typealias Build = PredicateExpressions
    let speed = Build.build_KeyPath(root: car, keyPath: \.speed)
    let plate = Build.build_KeyPath(root: car, keyPath: \.plate)
    let weight = Build.build_KeyPath(root: car, keyPath: \.weight)
    let remark = Build.build_KeyPath(root: car, keyPath: \.remark)
    let number = Build.build_KeyPath(root: Build.build_KeyPath(root: car, keyPath: \.place), keyPath: \.number)
    let constant = Build.build_Arg(random.below(5) - 1)
    let text = Build.build_Arg(["HH 1", "", "B 1", "H"][random.below(4)])
    let op: Build.ComparisonOperator =
      [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual][random.below(4)]
    switch random.below(15) {
    case 0: return Build.build_KeyPath(root: car, keyPath: \.isOnline)
    case 1: return Build.build_Comparison(lhs: speed, rhs: constant, op: op)
    case 2: return Build.build_Comparison(lhs: constant, rhs: number, op: op)
    case 3: return Build.build_Comparison(lhs: weight, rhs: Build.build_Arg(1.5), op: op)
    case 4: return Build.build_Equal(lhs: plate, rhs: text)
    case 5: return Build.build_NotEqual(lhs: remark, rhs: Build.build_Arg(random.below(2) == 0 ? nil : "late"))
    case 6: return Build.build_Equal(lhs: Build.build_NilCoalesce(lhs: remark, rhs: plate), rhs: text)
    case 7: return Build.build_Equal(lhs: Build.build_ForcedUnwrap(remark), rhs: text)
    case 8: return Build.build_contains(plate, text)
    case 9: return Build.build_starts(plate, with: text)
    case 10: return Build.build_contains(Build.build_KeyPath(root: car, keyPath: \.stops), number)
    case 11:
      return Build.build_Comparison(
        lhs: Build.build_Arithmetic(lhs: speed, rhs: number, op: .add), rhs: constant, op: op)
    case 12:
      return Build.build_contains(Build.build_KeyPath(root: car, keyPath: \.stops)) {
        Build.build_Comparison(lhs: $0, rhs: speed, op: op)
      }
    case 13: return Build.build_Equal(lhs: weight, rhs: weight)
    default: return Build.build_Comparison(lhs: plate, rhs: Build.build_ForcedUnwrap(remark), op: op)
    }
  }

  private static func not(_ condition: Condition) -> Condition {
    func make(_ condition: some StandardPredicateExpression<Bool>) -> Condition {
      PredicateExpressions.build_Negation(condition)
    }
    return make(condition)
  }

  private static func both(_ first: Condition, _ second: Condition) -> Condition {
    func make(
      _ first: some StandardPredicateExpression<Bool>, _ second: some StandardPredicateExpression<Bool>
    ) -> Condition {
      PredicateExpressions.build_Conjunction(lhs: first, rhs: second)
    }
    return make(first, second)
  }

  private static func either(_ first: Condition, _ second: Condition) -> Condition {
    func make(
      _ first: some StandardPredicateExpression<Bool>, _ second: some StandardPredicateExpression<Bool>
    ) -> Condition {
      PredicateExpressions.build_Disjunction(lhs: first, rhs: second)
    }
    return make(first, second)
  }

  private static func choose(_ test: Condition, _ first: Condition, _ second: Condition) -> Condition {
    func make(
      _ test: some StandardPredicateExpression<Bool>, _ first: some StandardPredicateExpression<Bool>,
      _ second: some StandardPredicateExpression<Bool>
    ) -> Condition {
      PredicateExpressions.build_Conditional(test, first, second)
    }
    return make(test, first, second)
  }
}
