/// The class instances encountered so far. An instance that occurs again is written as a reference (tags 28 and 29).
///
/// When an instance is written, it is unknown whether it will occur again, so each instance gets a provisional mark. At
/// the end, ``settle(in:)`` removes the marks of instances that occurred only once. It numbers the others in the order
/// in which a reader will count them. Source: <http://cbor.schmorp.de/value-sharing>.
struct InstanceTable: ~Copyable {
  enum Visit {
    case first(Int)
    /// The instance was written before, with or without the name of its class.
    case again(Int, isNamed: Bool)
    /// The instance is currently being written, so it contains itself.
    case inside
  }

  private struct Mark {
    var offset: Int
    var identifier: Int
    var isReference: Bool
  }

  private var identifiers: [ObjectIdentifier: Int] = .init()
  /// The instances, which are kept alive, so that no other instance can get the same address during the encoding.
  private var instances: [(object: AnyObject, isOpen: Bool, isNamed: Bool)] = []
  private var marks: [Mark] = []

  var isEmpty: Bool { instances.isEmpty && marks.isEmpty }

  /// The number of instances, including those that were forgotten because they could not be encoded.
  var count: Int { instances.count }

  mutating func visit(_ instance: AnyObject, isNamed: Bool) -> Visit {
    if let identifier = identifiers[ObjectIdentifier(instance)] {
      let known = instances[identifier]
      return known.isOpen ? .inside : .again(identifier, isNamed: known.isNamed)
    }
    let identifier = instances.count
    identifiers[ObjectIdentifier(instance)] = identifier
    instances.append((instance, isOpen: true, isNamed))
    return .first(identifier)
  }

  /// The same instances, without their marks in the output.
  var withoutMarks: InstanceTable { InstanceTable(identifiers: identifiers, instances: instances) }

  /// Exchanges the instances, but not the marks, with another table.
  mutating func exchangeInstances(with other: inout InstanceTable) {
    swap(&identifiers, &other.identifiers)
    swap(&instances, &other.instances)
  }

  /// Forgets all instances but the first ones.
  mutating func forgetInstances(after count: Int) {
    while instances.count > count {
      let identifier = ObjectIdentifier(instances.removeLast().object)
      // An instance that was forgotten before may have been encountered again later.
      if identifiers[identifier] == instances.count { identifiers[identifier] = nil }
    }
  }

  mutating func close(_ identifier: Int) { instances[identifier].isOpen = false }

  /// Forgets an instance that could not be encoded, so that it can be tried again.
  mutating func forget(_ instance: AnyObject) {
    if let identifier = identifiers.removeValue(forKey: ObjectIdentifier(instance)) { close(identifier) }
  }

  /// Writes the provisional tag 28 of an instance.
  mutating func markShareable(_ identifier: Int, in buffer: ByteBuffer) {
    marks.append(Mark(offset: buffer.count, identifier: identifier, isReference: false))
    buffer.appendHead(.tag, CBORTag.shareable)
  }

  mutating func markReference(_ identifier: Int, in buffer: ByteBuffer) {
    marks.append(Mark(offset: buffer.count, identifier: identifier, isReference: true))
    buffer.appendHead(.tag, CBORTag.sharedReference)
    buffer.appendHead(.unsigned, UInt64(identifier))
  }

  mutating func shift(from offset: Int, by distance: Int) {
    for index in marks.indices.reversed() {
      guard marks[index].offset >= offset else { return }
      marks[index].offset += distance
    }
  }

  /// Returns whether an instance is stored only as another instance, which may be named. The outer mark then shows that
  /// the inner mark or reference belongs to the other instance.
  private func holds(_ outer: Mark, only inner: Mark, in buffer: ByteBuffer) -> Bool {
    let content = outer.offset + CBORHead.length(of: CBORTag.shareable)
    if content == inner.offset { return true }
    return buffer.withUnsafeBytes { bytes in
      do {
        let reader = CBORReader(bytes)
        let tag = try reader.head(at: content)
        let array = try reader.head(at: tag.end)
        var name = try reader.head(at: array.end)
        guard tag.isTag(CBORTag.object), array.major == .array else { return false }
        if name.isTag(CBORTag.stringReference) { name = try reader.head(at: name.end) }
        return try (name.major == .text ? reader.payloadEnd(of: name) : name.end) == inner.offset
      } catch {
        return false  // There is more than a name between the two marks.
      }
    }
  }

  /// Treats an instance that contains only a shared instance as shared, so that it keeps its mark.
  private func keepMarksOfHolders(in buffer: ByteBuffer, _ isShared: inout [Bool]) {
    // Runs from the last mark to the first, because the contents of an instance follow its mark.
    for index in marks.indices.dropLast().reversed() where !marks[index].isReference {
      let inner = marks[index + 1]
      if inner.isReference || isShared[inner.identifier], holds(marks[index], only: inner, in: buffer) {
        isShared[marks[index].identifier] = true
      }
    }
  }

  /// Makes the marks final. Unshared instances lose their marks, except for those that contain only a shared instance.
  /// The other instances are numbered in the order of their tags. Returns the number of shared instances, each of which
  /// keeps a tag.
  ///
  /// A final number is never greater than the provisional one, so the bytes only move down. A reference to an instance
  /// outside this buffer keeps its provisional number. The complexity is O(*n*) in the size of the output if there are
  /// any marks, and otherwise O(1).
  func settle(in buffer: ByteBuffer) -> Int {
    guard !marks.isEmpty else { return 0 }
    var isShared = [Bool](repeating: false, count: instances.count)
    var hasReferences = false
    for mark in marks where mark.isReference {
      isShared[mark.identifier] = true
      hasReferences = true
    }
    if hasReferences { keepMarksOfHolders(in: buffer, &isShared) }

    var numbers = (0..<UInt64(instances.count)).map { $0 }
    var nextNumber: UInt64 = 0
    let end = buffer.count
    var source = 0
    var target = 0
    func keep(upTo offset: Int) {
      buffer.moveDown(source..<offset, to: target)
      target += offset - source
      source = offset
    }
    for mark in marks {
      keep(upTo: mark.offset)
      let tagLength = CBORHead.length(of: CBORTag.shareable)
      if mark.isReference {
        keep(upTo: mark.offset + tagLength)
        source += CBORHead.length(of: UInt64(mark.identifier))
        let number = numbers[mark.identifier]
        buffer.overwriteHead(.unsigned, number, at: target)
        target += CBORHead.length(of: number)
      } else if isShared[mark.identifier] {
        numbers[mark.identifier] = nextNumber
        nextNumber += 1
      } else {
        source += tagLength
      }
    }
    keep(upTo: end)
    buffer.truncate(to: target)
    return Int(nextNumber)
  }
}
