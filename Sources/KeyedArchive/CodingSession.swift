/// The state that encodings and decodings have in common: their options, the coding path, and traits of types.
class CodingSession {
  final let registry: TypeRegistry
  final let limits: ArchiveLimits
  final let userInfo: [CodingUserInfoKey: any Sendable]
  // The run-time check for conflicting accesses costs as much as a short field, so sessions leave it out: no function
  // calls another one while it changes one of these, and one session runs on one thread.
  @exclusivity(unchecked) final var paths = CodingPaths()
  @exclusivity(unchecked) private final var typeTraits = TypeTable()

  init(registry: TypeRegistry, limits: ArchiveLimits, userInfo: [CodingUserInfoKey: any Sendable]) {
    self.registry = registry
    self.limits = limits
    self.userInfo = userInfo
  }

  /// The options as coders of the standard library show them.
  final lazy var shownUserInfo: [CodingUserInfoKey: Any] = upcast(userInfo)

  /// The traits of a type, which are found out once.
  final func traits<Value>(of type: Value.Type) -> TypeTraits {
    if let traits = typeTraits.find(type) { return traits }
    let traits = TypeTraits.shared(of: type)
    typeTraits.insert(traits, for: type)
    return traits
  }

  // MARK: Coding paths

  /// Adds a key to a path, until the value that is being coded is complete.
  final func path(_ parent: CodingPathNode, _ key: some CodingKey) -> CodingPathNode {
    paths.add(key, below: parent)
  }

  final func keys(of path: CodingPathNode) -> [any CodingKey] {
    paths.keys(to: path)
  }

  final var pathMark: Int { paths.mark }

  final func forgetPaths(since mark: Int) {
    paths.remove(to: mark)
  }
}
