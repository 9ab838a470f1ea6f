import CodingSupport
import FoundationCore

// Foundation evaluates a predicate by looking up each variable by its number and casting the value, which takes about a
// microsecond for each element. The code below instead turns a predicate into functions over key paths, once for all
// elements. Foundation evaluates only the expressions that are unknown here, not the expressions around them.

/// A function of an element. It takes a pointer, because its caller is not compiled for the type of the elements and
/// would have to copy each of them.
typealias ElementFunction<Whole, Output> = (UnsafePointer<Whole>) throws -> Output

/// Returns a function that returns the same results as `predicate.evaluate` and throws the same errors.
func predicateFunction<Whole>(of predicate: Predicate<Whole>) -> ElementFunction<Whole, Bool> {
  predicateFunction(of: predicate.expression, in: predicate.variable)
}

private func predicateFunction<Whole, Known: PredicateExpression>(
  of expression: Known, in variable: PredicateExpressions.Variable<Whole>
) -> ElementFunction<Whole, Known.Output> {
  if let known = expression as? any KnownExpression<Known.Output>, let function = known.function(in: variable) {
    return function
  }
  return { try expression.evaluate(PredicateBindings((variable, $0.pointee))) }
}

/// An expression that can be turned into a function.
private protocol KnownExpression<Output>: PredicateExpression {
  /// Returns the function, or `nil` if Foundation has to evaluate the expression.
  func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Output>?
}

extension PredicateExpressions.KeyPath: KnownExpression {
  fileprivate func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Output>?
  {
    // Read the property directly: a function that returns the element would copy it.
    if let root = root as? PredicateExpressions.Variable<Whole>, root.key == variable.key,
      let keyPath = keyPath as? Swift.KeyPath<Whole, Output>
    {
      guard let property = StoredProperty(keyPath) else { return { $0.pointee[keyPath: keyPath] } }
      return { property.value(of: $0) }
    }
    let inner = predicateFunction(of: root, in: variable)
    return { [keyPath] in try inner($0)[keyPath: keyPath] }
  }
}

extension PredicateExpressions.Value: KnownExpression {
  fileprivate func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Output>?
  {
    { [value] _ in value }
  }
}

// MARK: Comparing

extension PredicateExpressions.Equal: KnownExpression {
  fileprivate func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Bool>? {
    comparing(lhs, rhs, in: variable) { $0 == $1 }
  }
}

extension PredicateExpressions.NotEqual: KnownExpression {
  fileprivate func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Bool>? {
    comparing(lhs, rhs, in: variable) { $0 != $1 }
  }
}

extension PredicateExpressions.Comparison: KnownExpression {
  fileprivate func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Bool>? {
    switch op {
    case .lessThan: comparing(lhs, rhs, in: variable) { $0 < $1 }
    case .lessThanOrEqual: comparing(lhs, rhs, in: variable) { $0 <= $1 }
    case .greaterThan: comparing(lhs, rhs, in: variable) { $0 > $1 }
    case .greaterThanOrEqual: comparing(lhs, rhs, in: variable) { $0 >= $1 }
    @unknown default: nil
    }
  }
}

private func comparing<Whole, Left: PredicateExpression, Right: PredicateExpression>(
  _ left: Left, _ right: Right, in variable: PredicateExpressions.Variable<Whole>,
  by compare: @escaping (Left.Output, Right.Output) -> Bool
) -> ElementFunction<Whole, Bool> {
  let first = predicateFunction(of: left, in: variable)
  if let constant = right as? PredicateExpressions.Value<Right.Output> {
    return { [value = constant.value] in compare(try first($0), value) }
  }
  let second = predicateFunction(of: right, in: variable)
  return { compare(try first($0), try second($0)) }
}

// MARK: Conditions

extension PredicateExpressions.Conjunction: KnownExpression {
  fileprivate func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Bool>? {
    let (left, right) = (predicateFunction(of: lhs, in: variable), predicateFunction(of: rhs, in: variable))
    return { try left($0) && right($0) }
  }
}

extension PredicateExpressions.Disjunction: KnownExpression {
  fileprivate func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Bool>? {
    let (left, right) = (predicateFunction(of: lhs, in: variable), predicateFunction(of: rhs, in: variable))
    return { try left($0) || right($0) }
  }
}

extension PredicateExpressions.Negation: KnownExpression {
  fileprivate func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Bool>? {
    let inner = predicateFunction(of: wrapped, in: variable)
    return { try !inner($0) }
  }
}

// MARK: Sequences

extension PredicateExpressions.SequenceContains: KnownExpression {
  fileprivate func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Bool>? {
    comparing(sequence, element, in: variable) { $0.contains($1) }
  }
}

extension PredicateExpressions.SequenceStartsWith: KnownExpression {
  fileprivate func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Bool>? {
    comparing(base, prefix, in: variable) { $0.starts(with: $1) }
  }
}

extension PredicateExpressions.CollectionContainsCollection: KnownExpression {
  fileprivate func function<Whole>(in variable: PredicateExpressions.Variable<Whole>) -> ElementFunction<Whole, Bool>? {
    comparing(base, other, in: variable) { $0.contains($1) }
  }
}
