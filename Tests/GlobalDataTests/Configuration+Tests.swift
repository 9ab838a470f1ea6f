import GlobalData

extension GlobalData.Configuration {
  /// Returns the default configuration with some settings changed.
  static func with(_ change: (inout Self) -> Void) -> Self {
    var configuration = Self()
    change(&configuration)
    return configuration
  }
}
