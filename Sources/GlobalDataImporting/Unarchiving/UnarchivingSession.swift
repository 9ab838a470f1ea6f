import Foundation
import GlobalData
import KeyedArchive
import ModelMapping

/// Reads an `NSKeyedArchiver` archive, or another property list.
///
/// An archive is a property list with a list of objects, `$objects`, in which objects refer to each other by number:
///
///     $archiver  "NSKeyedArchiver"
///     $version   100000
///     $top       {root: 1}                              the top-level values by name
///     $objects   ["$null",                              0 is nil
///                 {$class: 3, _plate: 2, speed: 60},    an object: numbers stand for themselves, other objects for
///                 "B 123",                              their numbers
///                 {$classname: "CarInfo", $classes: ["CarInfo", "NSObject"]}]
///
/// It is used by one thread.
final class UnarchivingSession {
  let types: [String: any (Codable & Sendable).Type]
  let unknownClasses: GlobalData.UnknownClasses
  let configuration: GlobalData.Configuration
  var list: PropertyList
  private(set) var objects: [PropertyListValue.Reference] = []
  /// Whether references lead to the objects of an archive.
  private(set) var isOpen = false

  private var nodes: [PropertyListValue.Reference: ArchivedNode] = [:]
  private var classes: [PropertyListValue.Reference: ArchivedClass] = [:]
  private var decoded: [DecodedKey: (value: Any, cost: Int)] = [:]
  var findings = ImportFindings()
  /// The objects that were read as their superclass, or without their attributes.
  var substituted: Set<PropertyListValue.Reference> = []
  /// The objects that are being read as their types in the map.
  var mappedObjects: Set<PropertyListValue.Reference> = []
  /// Collects the findings of models for the current entry.
  var collector = ReportCollector()

  private struct DecodedKey: Hashable {
    let id: PropertyListValue.Reference
    let type: ObjectIdentifier
  }

  init(
    _ data: Data, types: [String: any (Codable & Sendable).Type], _ unknownClasses: GlobalData.UnknownClasses,
    _ configuration: GlobalData.Configuration, _ budget: PropertyListBudget? = nil
  ) throws {
    self.types = types
    self.unknownClasses = unknownClasses
    self.configuration = configuration
    list = try PropertyList(
      data, budget ?? PropertyListBudget(fileSize: data.count, maximumItems: configuration.limits.maximumItems))
  }

  var limits: ArchiveLimits { configuration.limits }
  var registry: TypeRegistry { configuration.registry }
  var maximumDepth: Int { min(limits.maximumDepth, DeepStack.greatestDepth) }

  // MARK: The archive

  /// Finds the parts of an archive, and returns the top-level values. Throws ``ImportFailure`` if `NSKeyedArchiver` did
  /// not write the property list.
  func openArchive() throws -> ArchivedFields {
    guard case .dictionary(let root) = try list.value(at: list.root), let archiver = root["$archiver"],
      case .string(let name) = try list.value(at: archiver)
    else {
      throw ImportFailure(
        message: "it is a property list, but not an archive of NSKeyedArchiver",
        advice: "Use importPropertyList for property lists that are not archives.")
    }
    // Subclasses of the archiver write the same format under names of their own. `NSArchiver` does not.
    guard name != "NSArchiver", let version = root["$version"], let top = root["$top"], let objects = root["$objects"],
      case .integer(100_000) = try list.value(at: version), case .dictionary(let names) = try list.value(at: top),
      case .array(let references) = try list.value(at: objects)
    else {
      throw ImportFailure(
        message: "it is an archive of \(name.prefix(80).quoted) in an unknown form",
        advice: "Write it again with NSKeyedArchiver.")
    }
    isOpen = true
    self.objects = references
    return try ArchivedFields(of: "", names.archivedFields, at: [])
  }

  var isArchive: Bool {
    get throws {
      guard case .dictionary(let root) = try list.value(at: list.root) else { return false }
      return root.isArchive
    }
  }

  // MARK: Following references

  /// Returns the value of a reference. Throws ``ImportFailure`` if the value is missing.
  func node(at reference: PropertyListValue.Reference, _ path: () -> [any CodingKey]) throws -> ArchivedNode {
    do {
      return try node(at: reference)
    } catch let error as PropertyListError {
      throw ImportFailure(error, at: path())
    }
  }

  private func node(at reference: PropertyListValue.Reference) throws -> ArchivedNode {
    let value = try list.value(at: reference)
    guard case .uid(let number) = value else { return try node(reference, value) }
    guard isOpen else { throw PropertyListError("it holds a reference of an archive, but is not one") }
    guard number < UInt64(objects.count) else {
      throw PropertyListError("it refers to object \(number), but has only \(objects.count)")
    }
    let target = objects[Int(truncatingIfNeeded: number)]
    guard number > 0 else { return ArchivedNode(id: target, content: .plain(.null)) }
    if let known = nodes[target] { return known }
    let content = try list.value(at: target)
    // As in Foundation. An archived Codable value has this text for nil.
    if case .string("$null") = content { return ArchivedNode(id: target, content: .plain(.null)) }
    let node = try node(target, content)
    if case .object = node.content { nodes[target] = node }
    return node
  }

  private func node(_ id: PropertyListValue.Reference, _ value: PropertyListValue) throws -> ArchivedNode {
    switch value {
    case .uid: throw PropertyListError("a reference leads to a reference")
    case .dictionary(let fields) where isOpen:
      guard let type = fields[PropertyListDictionary.classField] else {
        throw PropertyListError("an object has no class")
      }
      return ArchivedNode(id: id, content: .object(try archivedClass(at: type), fields))
    default: return ArchivedNode(id: id, content: .plain(value))
    }
  }

  private func archivedClass(at reference: PropertyListValue.Reference) throws -> ArchivedClass {
    guard case .uid(let number) = try list.value(at: reference), number < UInt64(objects.count) else {
      throw PropertyListError("the class of an object is not a class")
    }
    let target = objects[Int(truncatingIfNeeded: number)]
    if let known = classes[target] { return known }
    guard case .dictionary(let fields) = try list.value(at: target), let name = fields["$classname"],
      case .string(let className) = try list.value(at: name)
    else { throw PropertyListError("the class of an object has no name") }
    var ancestry = [className]
    if let chain = fields["$classes"], case .array(let names) = try list.value(at: chain) {
      for name in names {
        guard case .string(let name) = try list.value(at: name) else {
          throw PropertyListError("a superclass of \(className.prefix(80).quoted) has no name")
        }
        if name != className { ancestry.append(name) }
      }
    }
    let type = ArchivedClass(ancestry, types)
    classes[target] = type
    return type
  }

  func child(
    _ reference: PropertyListValue.Reference, _ key: any CodingKey, of position: ArchivedPosition
  ) throws -> ArchivedPosition {
    try position.child(try node(at: reference) { position.path + [key] }, key, maximumDepth: maximumDepth)
  }

  // MARK: Reusing values

  func pay(_ bytes: Int, at path: @autoclosure () -> [any CodingKey] = []) throws {
    do {
      try list.budget.pay(bytes)
    } catch {
      throw ImportFailure(error, at: path())
    }
  }

  /// Creates the value of an object once. Further references to it get the same instance, or a copy that is charged.
  func once<Value>(_ id: PropertyListValue.Reference, _ type: Any.Type, _ make: () throws -> Value) throws -> Value {
    let key = DecodedKey(id: id, type: ObjectIdentifier(type))
    if let known = decoded[key], let value = known.value as? Value {
      try pay(type is AnyObject.Type ? PropertyListBudget.itemCost : known.cost)
      return value
    }
    let before = list.budget
    let cuts = findings.cutReferences
    let value = try make()
    // Which references are cut depends on the enclosing values, so the value is created again elsewhere.
    if findings.cutReferences == cuts { decoded[key] = (value, list.budget.spent(since: before)) }
    return value
  }
}
