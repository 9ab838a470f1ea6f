// Messages and the tool show names from files. Two different names must look different. No name may be invisible,
// control a terminal, or change the direction of the text beside it.

extension String {
  /// The text in quotes, with JSON escapes for quotes, backslashes and all invisible characters.
  package var quoted: String {
    var text = "\""
    var followsNothing = true
    for scalar in unicodeScalars {
      // A combining mark here would attach to the opening quote, or to the last letter of an escape.
      let isEscaped = scalar.isInvisible || (followsNothing && scalar.isMark)
      if isEscaped || scalar == "\"" || scalar == "\\" {
        text += scalar.escape
      } else {
        text.unicodeScalars.append(scalar)
      }
      followsNothing = isEscaped
    }
    return text + "\""
  }

  /// The text without quotes if it cannot be confused with any other text or with the text beside it; otherwise in
  /// quotes.
  package var quotedIfNeeded: String {
    // A space at either end, or beside another space, would not be visible.
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
  /// The text, quoted as in ``Swift/String/quoted``.
  package var quoted: String { String(self).quoted }
}

extension Unicode.Scalar {
  /// Whether the scalar is invisible, shows only by its effect on other scalars, or looks like a space but is not one.
  package var isInvisible: Bool {
    if value < 0x7f { return value < 0x20 }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator:
      return true
    default:
      // The empty braille pattern has the general category of a visible symbol.
      return properties.isDefaultIgnorableCodePoint || self == "\u{2800}"
    }
  }

  /// Whether the scalar is drawn on top of the one before it.
  fileprivate var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// The scalar's shortest escape in JSON. Beyond the first plane, it consists of the escapes of both UTF-16 units.
  package var escape: String {
    switch self {
    case "\"": return "\\\""
    case "\\": return "\\\\"
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default: break
    }
    let units = value < 0x1_0000 ? [value] : [0xd7c0 + value &>> 10, 0xdc00 | value & 0x3ff]
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

/// Returns a number and its unit, as in "1 entry" and "2 entries".
package func counted(_ count: Int, _ singular: String, _ plural: String) -> String {
  "\(count) \(count == 1 ? singular : plural)"
}
