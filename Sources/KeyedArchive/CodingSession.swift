/// The common state of encodings and decodings: their options, the coding path, and the traits of types.
///
/// The structures that a session consists of are not copyable if nothing copies them. Otherwise, the compiler would
/// generate functions to copy them.
class CodingSession {
  final let registry: TypeRegistry
  final let limits: ArchiveLimits
  final let userInfo: [CodingUserInfoKey: any Sendable]
  // The run-time check for conflicting accesses costs as much as a short field, so sessions disable it. No function
  // calls another one while it changes one of these properties, and one session runs on one thread.
  @exclusivity(unchecked) final var paths = CodingPaths()
  @exclusivity(unchecked) private final var typeTraits = TypeTable()
  @exclusivity(unchecked) final var containerFactories = ContainerFactories()

  init(registry: TypeRegistry, limits: ArchiveLimits, userInfo: [CodingUserInfoKey: any Sendable]) {
    self.registry = registry
    self.limits = limits
    self.userInfo = userInfo
    isOnlyStorage = userInfo.count == 1 && userInfo[.isStorage] as? Bool == true
  }

  /// The user info in the form that coders of the standard library have.
  final lazy var shownUserInfo: [CodingUserInfoKey: Any] = upcast(userInfo)

  /// Returns the traits of a type, which are determined only once.
  final func traits<Value>(of type: Value.Type) -> TypeTraits {
    if let traits = typeTraits.find(type) { return traits }
    let traits = TypeTraits.shared(of: type)
    typeTraits.insert(traits, for: type)
    return traits
  }

  /// Whether the user info only says that the coding is for storage, which is the usual case.
  package final let isOnlyStorage: Bool
}
