import Observation
import SwiftUI

/// A view at its position, with the state that stays there while the view's value is created again.
@MainActor final class ViewNode {
  private(set) var shown = PrimitiveContent.group([])
  private(set) var field: HostedField?
  private(set) var computations = 0
  private var view: any View
  private var kept: [String: AnyObject] = [:]
  private var children: [ViewNode] = []

  init(_ view: any View) {
    self.view = view
    install()
    compute()
  }

  /// This node and all nodes below it, in order.
  var all: [ViewNode] { [self] + children.flatMap(\.all) }

  func update(_ newView: any View) {
    view = newView
    install()
    compute()
  }

  // MARK: State

  private func install() {
    install(propertiesOf: view, path: "")
  }

  /// Gives each state its storage, including those inside other properties. Only then may a property update itself.
  private func install(propertiesOf owner: Any, path: String) {
    for child in Mirror(reflecting: owner).children {
      let path = "\(path)/\(child.label ?? "")"
      guard var property = child.value as? any DynamicProperty else { continue }
      if let state = property as? any KeptProperty {
        kept[path] = state.connect(to: kept[path])
      } else {
        install(propertiesOf: property, path: path)
      }
      // A copy: everything that lasts is behind references.
      property.update()
    }
  }

  // MARK: Computing

  private func compute() {
    computations += 1
    let computation = computations
    withObservationTracking {
      content(of: view)
    } onChange: { [weak self] in
      // Before the change. SwiftUI also computes later, and once for all changes until then.
      Task { @MainActor in
        guard let self, self.computations == computation else { return }
        self.compute()
      }
    }
    showChildren()
  }

  private func content(of view: some View) {
    guard let primitive = view as? any PrimitiveView else {
      shown = .group([view.body])
      return
    }
    shown = primitive.content
    if case .field(let title, let binding) = shown {
      let field = field ?? HostedField(title: title, binding)
      field.update(binding)
      self.field = field
    }
  }

  private func showChildren() {
    guard case .group(let views) = shown else { return }
    let old = children
    children = views.enumerated().map { index, view in
      guard index < old.count, type(of: old[index].view) == type(of: view) else { return ViewNode(view) }
      old[index].update(view)
      return old[index]
    }
  }
}
