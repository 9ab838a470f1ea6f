extension GlobalData.ModelCollection {
  /// Decodes all elements in slices, between which the caller's actor does other work, so that what reads them next
  /// does not have to.
  ///
  /// Elements that change meanwhile are decoded when they are read.
  ///
  /// - Throws: ``GlobalDataError`` when the store cannot be read; `CancellationError` when the task is cancelled. What
  ///   was decoded until then is kept.
  /// - Complexity: O(*n*) in the number of elements, and decoding those that were not decoded before.
  public func load(isolation: isolated (any Actor)? = #isolation) async throws {
    for (index, key) in try store.engine.memory.keys(withPrefix: prefix).enumerated() {
      if index > 0, index.isMultiple(of: GlobalData.sliceLength) {
        await Task.yield()
        try Task.checkCancellation()
      }
      decode(key)
    }
    _ = all
  }

  /// Decodes all elements, outside of every actor and on as many processors as there are, so that what reads them next
  /// does not have to.
  ///
  /// ```swift
  /// try await cars.load()  // decodes all, so that the list is there at once
  /// let list = cars.all
  /// ```
  ///
  /// - Throws: ``GlobalDataError`` when the store cannot be read.
  /// - Complexity: O(*n*) in the number of elements, and decoding those that were not decoded before.
  public func load() async throws where Element: Sendable {
    // A failure to read the store, which `all` can only report.
    try store.engine.memory.load()
    _ = all
  }

  /// Decodes an element, so that readers find it decoded. Who reads it then reports one that cannot be decoded.
  func decode(_ key: String) {
    do { _ = try store.object(Element.self, forKey: key, reuse) } catch { return }
  }
}

extension GlobalData {
  /// The number of elements decoded before other work of an actor has its turn: a fraction of a millisecond.
  static var sliceLength: Int { 32 }
}
