// A stand-in for the parts of SwiftUI that GlobalData and the views of these tests use.
//
// The declarations are those of Apple's SDKs of iOS 18 and 26, with their isolation and attributes, as far as these
// affect how a client is compiled. They come from the reference at developer.apple.com/documentation/swiftui; the page
// of each is named. Attributes that the reference omits (`nonisolated`, `@preconcurrency`, `@_disfavoredOverload`) come
// from the SDK's SwiftUI.swiftinterface and SwiftUICore.swiftinterface. The implementations were written for these
// tests.

// documentation/swiftui/view; the interface also has `@_typeEraser(AnyView)` and the hooks of the graph.
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

// documentation/swift/never, "Conforms to: View"
extension Never: View {
  public var body: Never { fatalError("there is no value of this type") }
}

// documentation/swiftui/viewbuilder
@resultBuilder public struct ViewBuilder {
  public static func buildExpression<Content>(_ content: Content) -> Content where Content: View { content }

  public static func buildBlock() -> EmptyView { EmptyView() }

  public static func buildBlock<Content>(_ content: Content) -> Content where Content: View { content }

  public static func buildBlock<each Content>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> where repeat each Content: View {
    var views: [any View] = []
    repeat views.append(each content)
    return TupleView((repeat each content), views)
  }
}

extension ViewBuilder {
  public static func buildIf<Content>(_ content: Content?) -> Content? where Content: View { content }
}

// documentation/swift/optional, "Conforms to: View when Wrapped conforms to View"
extension Optional: View, PrimitiveView where Wrapped: View {
  public typealias Body = Never

  package var content: PrimitiveContent { .group(map { [$0] } ?? []) }
}

// MARK: Views without a body of their own

/// The content of a view without a body.
package enum PrimitiveContent {
  case group([any View])
  case text(String)
  case field(title: String, Binding<String>)
  case button(title: String, @MainActor () -> Void)
  case slider(Binding<Double>)
}

/// A view without a body.
@MainActor package protocol PrimitiveView {
  var content: PrimitiveContent { get }
}

extension View where Body == Never {
  // documentation/swiftui/text/body and others
  public var body: Never { fatalError("a primitive view has no body") }
}

// MARK: Views

// documentation/swiftui/emptyview
public struct EmptyView: View, PrimitiveView {
  public typealias Body = Never

  nonisolated public init() {}

  package var content: PrimitiveContent { .group([]) }
}

// documentation/swiftui/tupleview; there, the views are found in the value, and its initializer is `nonisolated`. This
// one is, too, because the conformance is in an extension.
public struct TupleView<T> {
  public var value: T
  private let views: [any View]

  fileprivate init(_ value: T, _ views: [any View]) {
    self.value = value
    self.views = views
  }
}

extension TupleView: View, PrimitiveView {
  public typealias Body = Never

  package var content: PrimitiveContent { .group(views) }
}

// documentation/swiftui/text/init(_:)-9d1g4
public struct Text: View, PrimitiveView {
  public typealias Body = Never

  private let string: String

  @_disfavoredOverload nonisolated public init<S>(_ content: S) where S: StringProtocol {
    string = String(content)
  }

  package var content: PrimitiveContent { .text(string) }
}

// documentation/swiftui/textfield/init(_:text:)-1jzkn
public struct TextField<Label>: View, PrimitiveView where Label: View {
  public typealias Body = Never

  private let title: String
  private let text: Binding<String>

  package var content: PrimitiveContent { .field(title: title, text) }
}

extension TextField where Label == Text {
  @_disfavoredOverload nonisolated public init<S>(_ title: S, text: Binding<String>) where S: StringProtocol {
    self.title = String(title)
    self.text = text
  }
}

// documentation/swiftui/button/init(_:action:)-lpm7
public struct Button<Label>: View, PrimitiveView where Label: View {
  public typealias Body = Never

  private let title: String
  private let action: @MainActor () -> Void

  package var content: PrimitiveContent { .button(title: title, action) }
}

extension Button where Label == Text {
  @_disfavoredOverload @preconcurrency nonisolated public init<S>(
    _ title: S, action: @escaping @MainActor () -> Void
  ) where S: StringProtocol {
    self.title = String(title)
    self.action = action
  }
}

// documentation/swiftui/slider/init(value:in:oneditingchanged:)-3o1mm
public struct Slider<Label, ValueLabel>: View, PrimitiveView where Label: View, ValueLabel: View {
  public typealias Body = Never

  private let value: Binding<Double>

  package var content: PrimitiveContent { .slider(value) }
}

extension Slider where Label == EmptyView, ValueLabel == EmptyView {
  nonisolated public init<V>(
    value: Binding<V>, in bounds: ClosedRange<V> = 0...1, onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) where V: BinaryFloatingPoint, V.Stride: BinaryFloatingPoint {
    self.value = value.asDouble
  }
}

extension BinaryFloatingPoint {
  fileprivate var asDouble: Double {
    get { Double(self) }
    set { self = Self(newValue) }
  }
}

extension Binding where Value: BinaryFloatingPoint {
  fileprivate var asDouble: Binding<Double> { self[dynamicMember: \.asDouble] }
}
