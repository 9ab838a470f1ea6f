/// The names of types. Each is computed only once because `String(reflecting:)` is slow.
private let computedNames = Locked<[ObjectIdentifier: String]>(.init())

/// Returns a type's own name without its module: `CarInfo`, `Garage.Slot`, `Box<CarInfo>`.
func defaultArchiveName(of type: Any.Type) -> String {
  let id = ObjectIdentifier(type)
  if let name = computedNames.withLock({ $0[id] }) { return name }
  let name = withoutModules(String(reflecting: type))
  computedNames.withLock { $0[id] = name }
  return name
}
