import GlobalData

// What a file holds must not steer a terminal, nor turn the direction of what stands beside it.

extension String {
  /// The text with escapes as JSON has them in place of control characters, those for the direction of text included.
  func escapingControls(but allowed: Set<Unicode.Scalar> = []) -> String {
    guard unicodeScalars.contains(where: { $0.isControl && !allowed.contains($0) }) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isControl, !allowed.contains(scalar) {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text on one line: in quotes, with escapes, where it is not plain.
  var printable: String {
    unicodeScalars.contains { $0.isControl } ? ArchiveValue.string(self).json().escapingControls() : self
  }

  /// The beginning of the text, with an ellipsis where there is more.
  func shortened(to count: Int) -> String {
    self.count > count ? self.prefix(count - 1) + "…" : self
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7f...0x9f: true
    case 0x061c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}

extension ArchiveValue {
  /// The value as JSON for people and programs. All that is escaped stands within texts, where JSON has the same escapes.
  var printableJSON: String { json(isPretty: true).escapingControls(but: ["\n"]) }
}
