import Foundation
import KeyedArchive
import TestSupport

/// Random types, composed at run time.
struct RandomType {
  var random: SeededGenerator

  private static let keys: [any RandomKey.Type] = [
    Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self, UInt.self, UInt8.self, UInt16.self,
    UInt32.self, UInt64.self, UInt128.self, Double.self, Float.self, CGFloat.self, Bool.self, String.self, String.self,
    Decimal.self, Data.self, UUID.self, Date.self, URL.self, Weekday.self, CarInfo.self, ArchiveValue.self,
    Range<Int>.self, Range<Date>.self, ClosedRange<Double>.self, Range<String>.self, ClosedRange<UInt128>.self,
    Locale.self, TimeZone.self, DateComponents.self, IndexSet.self, IndexPath.self, Duration.self, Loose.self,
  ]
  private static let others: [any RandomValue.Type] = [CGRect.self, SIMD4<Float>.self, SIMD2<Double>.self]

  mutating func next() -> any RandomValue.Type {
    value(levels: random.below(4))
  }

  private mutating func value(levels: Int) -> any RandomValue.Type {
    guard levels > 0 else {
      return random.below(10) == 0 ? random.one(of: RandomType.others) : random.one(of: RandomType.keys)
    }
    let levels = levels - 1
    switch random.below(13) {
    case 0, 1: return RandomType.array(value(levels: levels))
    case 2: return RandomType.contiguous(value(levels: levels))
    case 3, 4: return RandomType.optional(value(levels: levels))
    case 5: return RandomType.dictionary(key(levels: levels), value(levels: levels))
    case 6: return RandomType.pair(value(levels: levels), value(levels: levels))
    case 7: return RandomType.either(value(levels: levels), value(levels: levels))
    case 8: return RandomType.held(value(levels: levels))
    case 9: return RandomType.labelled(value(levels: levels))
    case 10: return RandomType.coated(value(levels: levels))
    case 11: return random.flip() ? crate(levels: levels) : RandomType.dated(value(levels: levels))
    default: return random.flip() ? RandomType.shelf(value(levels: levels)) : key(levels: levels + 1)
    }
  }

  /// A class that stores one value. As with every coder, an optional treats a stored null as its own.
  private mutating func crate(levels: Int) -> any RandomValue.Type {
    switch random.below(5) {
    case 0: RandomType.crate(Date.self)
    case 1: RandomType.crate(URL.self)
    case 2: RandomType.crate(RandomType.dated(value(levels: levels)))
    case 3: RandomType.crate(RandomType.shelf(value(levels: levels)))
    default: RandomType.crate(RandomType.array(value(levels: levels)))
    }
  }

  /// A hashable type.
  private mutating func key(levels: Int) -> any RandomKey.Type {
    guard levels > 0, random.flip() else { return random.one(of: RandomType.keys) }
    let levels = levels - 1
    switch random.below(8) {
    case 0: return RandomType.keyArray(key(levels: levels))
    case 1: return RandomType.set(key(levels: levels))
    case 2: return RandomType.keyOptional(key(levels: levels))
    case 3: return RandomType.keyPair(key(levels: levels), key(levels: levels))
    case 4: return RandomType.keyHeld(key(levels: levels))
    case 5: return RandomType.keyLabelled(key(levels: levels))
    case 6: return RandomType.keyCoated(key(levels: levels))
    default: return RandomType.keyEither(key(levels: levels), key(levels: levels))
    }
  }

  // These calls open an `any T.Type`, which makes it a type parameter.
  private static func array<T: RandomValue>(_: T.Type) -> any RandomValue.Type { [T].self }
  private static func contiguous<T: RandomValue>(_: T.Type) -> any RandomValue.Type { ContiguousArray<T>.self }
  private static func optional<T: RandomValue>(_: T.Type) -> any RandomValue.Type { T?.self }
  private static func shelf<T: RandomValue>(_: T.Type) -> any RandomValue.Type { Shelf<T>.self }
  private static func held<T: RandomValue>(_: T.Type) -> any RandomValue.Type { Held<T>.self }
  private static func labelled<T: RandomValue>(_: T.Type) -> any RandomValue.Type { Labelled<Int, T>.self }
  private static func coated<T: RandomValue>(_: T.Type) -> any RandomValue.Type { Coated<T>.self }
  private static func crate<T: RandomValue>(_: T.Type) -> any RandomValue.Type { Crate<T>.self }
  private static func dated<T: RandomValue>(_: T.Type) -> any RandomValue.Type { Dated<T>.self }
  private static func dictionary<K: RandomKey, V: RandomValue>(_: K.Type, _: V.Type) -> any RandomValue.Type {
    [K: V].self
  }
  private static func pair<T: RandomValue, U: RandomValue>(_: T.Type, _: U.Type) -> any RandomValue.Type {
    Pair<T, U>.self
  }
  private static func either<T: RandomValue, U: RandomValue>(_: T.Type, _: U.Type) -> any RandomValue.Type {
    Either<T, U>.self
  }
  private static func set<T: RandomKey>(_: T.Type) -> any RandomKey.Type { Set<T>.self }
  private static func keyArray<T: RandomKey>(_: T.Type) -> any RandomKey.Type { [T].self }
  private static func keyOptional<T: RandomKey>(_: T.Type) -> any RandomKey.Type { T?.self }
  private static func keyHeld<T: RandomKey>(_: T.Type) -> any RandomKey.Type { Held<T>.self }
  private static func keyLabelled<T: RandomKey>(_: T.Type) -> any RandomKey.Type { Labelled<Int, T>.self }
  private static func keyCoated<T: RandomKey>(_: T.Type) -> any RandomKey.Type { Coated<T>.self }
  private static func keyPair<T: RandomKey, U: RandomKey>(_: T.Type, _: U.Type) -> any RandomKey.Type {
    Pair<T, U>.self
  }
  private static func keyEither<T: RandomKey, U: RandomKey>(_: T.Type, _: U.Type) -> any RandomKey.Type {
    Either<T, U>.self
  }
}
