extension GlobalData.ModelCollection {
  /// Decodes all elements in slices, so that later reads find them decoded. The caller's actor can do other work
  /// between slices.
  ///
  /// Elements that change during the call are decoded when they are read.
  ///
  /// - Throws: ``GlobalDataError`` if the store cannot be read; `CancellationError` if the task is cancelled. Elements
  ///   decoded before the error remain decoded.
  /// - Complexity: O(*n*) in the number of elements, plus decoding the elements that were not decoded before.
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

  /// Decodes all elements outside of every actor, on as many processors as are available, so that later reads find them
  /// decoded.
  ///
  /// ```swift
  /// try await cars.load()  // decodes all, so that the list is there at once
  /// let list = cars.all
  /// ```
  ///
  /// - Throws: ``GlobalDataError`` if the store cannot be read.
  /// - Complexity: O(*n*) in the number of elements, plus decoding the elements that were not decoded before.
  public func load() async throws where Element: Sendable {
    // Loading throws if the store cannot be read, which `all` can only report.
    try store.engine.memory.load()
    _ = all
  }

  /// Decodes an element, so that readers find it decoded. Ignores an element that cannot be decoded: reading it reports
  /// the error.
  func decode(_ key: String) {
    do { _ = try store.object(Element.self, forKey: key, reuse) } catch { return }
  }
}

extension GlobalData {
  /// The number of elements that are decoded before other work of an actor gets its turn. Decoding them takes a
  /// fraction of a millisecond.
  static var sliceLength: Int { 32 }
}
