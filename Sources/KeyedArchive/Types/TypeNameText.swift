/// Returns whether a text begins with another, using a standard library function that the compiler does not copy.
private func begins(_ text: Substring, with prefix: String) -> Bool { String(text).hasPrefix(prefix) }

/// Returns the name that a type has in Swift on every platform. Apple's platforms show the imported name instead.
private func swiftName(ofImported name: Substring) -> Substring {
  name == "NSDecimal" || name == "NSDimension" || begins(name, with: "NSUnit") ? name.dropFirst(2) : name
}

/// Removes the module from every type in a fully qualified name, and the parts that name a private or local scope.
///
/// `Swift.Dictionary<Swift.String, App.Garage.Slot>` becomes `Dictionary<String, Garage.Slot>`;
/// `App.(unknown context at $1060c).Local` becomes `Local`; `(extension in App):Swift.String.Part` becomes
/// `String.Part`; `App.Pair<Pack{Swift.Int, App.Car}>`, whose arguments are a pack, becomes `Pair<Int, Car>`. A scope's
/// address differs from build to build, so it must not reach a file.
func withoutModules(_ qualifiedName: String) -> String {
  var result = ""
  var components: [Substring] = []
  var rest = Substring(qualifiedName)

  func flush() {
    // On Apple's platforms, types imported from C and Objective-C have their names in those languages.
    let imported = components.first == "__C" ? 1 : 0
    if components.indices.contains(imported), imported == 1 || components.count == 1 {
      components[imported] = swiftName(ofImported: components[imported])
    }
    // The first component is the module, unless nothing follows it.
    result += (components.count > 1 ? components.dropFirst() : components[...]).joined(separator: ".")
    components = []
  }

  var isContinuation = false
  while let first = rest.first {
    if begins(rest, with: "(extension in "), let end = rest.firstIndex(of: ":") {
      // The module of an extension to another module's type. It precedes the module of the type.
      rest = rest[rest.index(after: end)...]
    } else if first == "(" && begins(rest, with: "(unknown context at ") || first == "(" && isContinuation {
      // Skip a private scope and the dot after it.
      guard let end = rest.firstIndex(of: ")") else { break }
      rest = rest[rest.index(after: end)...]
      if rest.first == "." { rest.removeFirst() }
    } else if components.isEmpty, begins(rest, with: "Pack{") {
      // The runtime's form of the arguments of a type that takes any number of type arguments.
      rest.removeFirst("Pack{".count)
    } else if first == "}" {
      rest.removeFirst()
    } else if first == "_" || first.isLetter {
      let name = rest.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
      components.append(name)
      rest = rest.dropFirst(name.count)
      isContinuation = rest.first == "."
      if isContinuation {
        rest.removeFirst()
      } else {
        flush()
      }
    } else {
      if !components.isEmpty { flush() }
      result.append(first)
      rest.removeFirst()
    }
  }
  if !components.isEmpty { flush() }
  return result
}
