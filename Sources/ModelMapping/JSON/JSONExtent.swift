/// Where a value or a key of an object is in a text of JSON. The extents of all values are in one array, in text order:
/// those of an array's elements or an object's members follow its own, each key before its value.
struct JSONExtent {
  let start: Int

  /// The offset after the last byte of a scalar. Negative for a text that has escapes or characters outside ASCII. For
  /// an array or an object it is the number of the extent that follows all of it.
  private var link: Int

  init(start: Int, end: Int, isPlain: Bool) {
    self.start = start
    link = isPlain ? end : -end
  }

  /// The bytes of a scalar.
  var range: Range<Int> { start..<abs(link) }

  /// Whether a string is plain ASCII without escapes.
  var isPlain: Bool { link >= 0 }

  /// The number of the extent after an array or an object.
  var next: Int {
    get { link }
    set { link = newValue }
  }
}
