/// The range of a value or key in a JSON text. The extents of all values are in one array, in text order: the extent of
/// an array or object is followed by those of its elements or members, with each key before its value.
struct JSONExtent {
  let start: Int

  /// The offset after the last byte of a scalar, negative for a string with escapes or characters outside ASCII. For an
  /// array or an object, the index of the extent after it and all its contents.
  private var link: Int

  init(start: Int, end: Int, isPlain: Bool) {
    self.start = start
    link = isPlain ? end : -end
  }

  /// The bytes of a scalar.
  var range: Range<Int> { start..<abs(link) }

  /// Whether a string is plain ASCII without escapes.
  var isPlain: Bool { link >= 0 }

  /// The index of the extent after an array or an object.
  var next: Int {
    get { link }
    set { link = newValue }
  }
}
