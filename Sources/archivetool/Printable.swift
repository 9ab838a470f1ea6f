import GlobalData

// The contents of a file must not control a terminal or change the direction of the text around them.

extension String {
  /// Returns the text with JSON escapes for control characters, including those for text direction.
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

  /// Returns the beginning of the text, with an ellipsis if there is more.
  func shortened(to count: Int) -> String {
    self.count > count ? self.prefix(count - 1) + "…" : self
  }

  /// The number of columns that the text takes on a terminal.
  var columnCount: Int { reduce(0) { $0 + ($1.unicodeScalars.first?.isWide == true ? 2 : 1) } }
}

extension Unicode.Scalar {
  /// Whether the scalar is two columns wide: an emoji, or one of the blocks with the property East_Asian_Width W or F.
  ///
  /// Source: https://www.unicode.org/reports/tr11/
  fileprivate var isWide: Bool {
    switch value {
    case ..<0x1100: false
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff,
      0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6, 0x16fe0...0x1b2fb, 0x20000...0x3fffd:
      true
    default: properties.isEmojiPresentation
    }
  }

  /// Whether the scalar controls the terminal or is invisible, except those that join letters and emoji.
  var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: !(0x200c...0x200d ~= value || 0xe0020...0xe007f ~= value)
    default: false
    }
  }
}

extension JSONStyle.Escapes {
  /// The escapes for values: everything that controls a terminal or the direction of text.
  static let values = JSONStyle.Escapes { $0.isControl }
  /// The escapes for names: everything invisible.
  static let names = JSONStyle.Escapes { $0.isInvisible }
}

extension JSONStyle {
  /// For people and programs: each element on its own line.
  static let pretty = JSONStyle(isPretty: true, textEscapes: .values, nameEscapes: .names)
  static let compact = JSONStyle(textEscapes: .values, nameEscapes: .names)
}

extension ArchiveValue {
  /// The value in diagnostic notation, with escapes for what controls a terminal.
  var notation: String {
    let writer = TextWriter(.compact)
    writer.append(notation: self)
    return writer.collected
  }

  /// Returns the beginning of the value as JSON on one line, without encoding the rest.
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
      // The rest is not shown.
    }
    return text.shortened(to: count)
  }
}
