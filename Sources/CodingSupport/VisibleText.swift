// Names of a file are shown in messages and by the tool. Two that differ must look different, none may look like
// nothing, and none may steer a terminal or turn the direction of what stands beside it.

extension String {
  /// The text in quotes, with the escapes of JSON for quotes, backslashes and all that cannot be seen.
  package var quoted: String {
    var text = "\""
    var followsNothing = true
    for scalar in unicodeScalars {
      // A combining mark here would attach to the opening quote, or to the last letter of an escape.
      let isEscaped = scalar.isInvisible || (followsNothing && scalar.isMark)
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where isEscaped: text += scalar.escape
      default: text.unicodeScalars.append(scalar)
      }
      followsNothing = isEscaped
    }
    return text + "\""
  }

  /// The text as it is where it can be told from every other and from what stands beside it, else in quotes.
  package var quotedIfNeeded: String {
    // A space at either end, or beside another one, would not be seen.
    var last: Unicode.Scalar?
    for scalar in unicodeScalars {
      if scalar.isInvisible || scalar == " " && (last ?? " ") == " " { return quoted }
      if last == nil, scalar == "\"" || scalar.isMark { return quoted }
      last = scalar
    }
    return (last ?? " ") == " " ? quoted : self
  }
}

extension Substring {
  /// The text as ``Swift/String/quoted`` shows it.
  package var quoted: String { String(self).quoted }
}

extension Unicode.Scalar {
  /// Whether nothing shows the scalar, or only its effect on others does; or it looks like a space without being one.
  package var isInvisible: Bool {
    if value < 0x7f { return value < 0x20 }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator:
      return true
    default:
      // The empty pattern of braille is a symbol like the others.
      return properties.isDefaultIgnorableCodePoint || self == "\u{2800}"
    }
  }

  /// Whether the scalar is drawn upon the one before it.
  fileprivate var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// The escape of the scalar in JSON: beyond the first plane that of each of its two units.
  package var escape: String {
    let units = value < 0x1_0000 ? [value] : [0xd7c0 + value >> 10, 0xdc00 | value & 0x3ff]
    var text = ""
    for unit in units {
      let digits = String(unit, radix: 16)
      text += "\\u"
      for _ in digits.utf8.count..<4 { text += "0" }
      text += digits
    }
    return text
  }
}
