import GlobalData

// What a file holds must not steer a terminal, nor turn the direction of what stands beside it.

extension String {
  /// The text with escapes as JSON has them in place of control characters, those for the direction of text included.
  func escapingControls(but allowed: Set<Unicode.Scalar> = []) -> String {
    guard unicodeScalars.contains(where: { $0.isControl && !allowed.contains($0) }) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isControl, !allowed.contains(scalar) {
        result += scalar.escape
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The beginning of the text, with an ellipsis where there is more.
  func shortened(to count: Int) -> String {
    self.count > count ? self.prefix(count - 1) + "…" : self
  }
}

extension Unicode.Scalar {
  /// Whether the scalar may steer what shows it, or shows nothing; those that join letters and emoji do not count.
  var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: !(0x200c...0x200d ~= value || 0xe0020...0xe007f ~= value)
    default: false
    }
  }
}

extension JSONStyle.Escapes {
  /// For values: all that could steer a terminal or the direction of text.
  static let values = JSONStyle.Escapes { $0.isControl }
  /// For names: all that cannot be seen.
  static let names = JSONStyle.Escapes { $0.isInvisible }
}

extension JSONStyle {
  /// For people and programs: each element on a line of its own.
  static let pretty = JSONStyle(isPretty: true, textEscapes: .values, nameEscapes: .names)
  static let compact = JSONStyle(textEscapes: .values, nameEscapes: .names)
}

extension ArchiveValue {
  /// The beginning of the value as JSON on one line, of which no more is made than is shown.
  func brief(_ count: Int = 60) -> String {
    struct Enough: Error {}
    var text = ""
    let writer = TextWriter(.compact) { piece in
      text += String(decoding: piece, as: UTF8.self)
      if text.utf8.count > 8 * count { throw Enough() }
    }
    writer.append(json: self)
    do {
      try writer.finish()
    } catch {
      // There is more than is shown.
    }
    return text.shortened(to: count)
  }
}
