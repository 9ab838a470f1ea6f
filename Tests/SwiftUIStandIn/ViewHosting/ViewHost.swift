import Observation
public import SwiftUI

/// Shows a view as SwiftUI does: keeps its state, computes its body, and computes it again when a value that the body
/// has read changes.
@MainActor public final class ViewHost {
  private let root: ViewNode

  /// Shows a view.
  public init(_ view: any View) {
    root = ViewNode(view)
  }

  /// Shows another value of the same view, as when the enclosing view is computed again.
  public func show(_ view: any View) {
    root.update(view)
  }

  /// All visible texts, in order.
  public var texts: [String] {
    root.all.compactMap { if case .text(let text) = $0.shown { text } else { nil } }
  }

  /// The text field with a title.
  public func field(_ title: String) -> HostedField? {
    root.all.lazy.compactMap(\.field).first { $0.title == title }
  }

  /// The value that a slider shows and sets.
  public var slider: Binding<Double>? {
    root.all.lazy.compactMap { if case .slider(let value) = $0.shown { value } else { nil } }.first
  }

  /// Presses the button with a title.
  ///
  /// - Returns: Whether there is one.
  public func press(_ title: String) -> Bool {
    for node in root.all {
      if case .button(title, let action) = node.shown {
        action()
        return true
      }
    }
    return false
  }

  /// The number of times that a body or a control was computed.
  public var computations: Int { root.all.reduce(0) { $0 + $1.computations } }
}

/// A text field, with the text that its user sees and edits.
///
/// Whenever the bound value changes, the field replaces the typed text with it, as a text field does.
@MainActor public final class HostedField {
  public let title: String
  /// All texts that the field has shown.
  public private(set) var history: [String] = []
  private var binding: Binding<String>

  init(title: String, _ binding: Binding<String>) {
    self.title = title
    self.binding = binding
  }

  /// The text that the field shows.
  public var text: String { history.last ?? "" }

  /// Types a character at the end of the text.
  public func type(_ character: Character) {
    show(text + String(character))
    binding.wrappedValue = text
  }

  /// Replaces the whole text.
  public func replace(with newText: String) {
    show(newText)
    binding.wrappedValue = newText
  }

  func update(_ binding: Binding<String>) {
    self.binding = binding
    show(binding.wrappedValue)
  }

  private func show(_ newText: String) {
    if history.last != newText { history.append(newText) }
  }
}
