/// The classes of Foundation whose archived form is known.
enum FoundationClass: String {
  case null = "NSNull"
  case string = "NSString"
  case attributedString = "NSAttributedString"
  case number = "NSNumber"
  case decimalNumber = "NSDecimalNumber"
  case data = "NSData"
  case date = "NSDate"
  case uuid = "NSUUID"
  case url = "NSURL"
  case value = "NSValue"
  case timeZone = "NSTimeZone"
  case locale = "NSLocale"
  case indexSet = "NSIndexSet"
  case indexPath = "NSIndexPath"
  case array = "NSArray"
  case set = "NSSet"
  case orderedSet = "NSOrderedSet"
  case dictionary = "NSDictionary"

  /// Creates a class from its name or that of its mutable subclass.
  init?(className: String) {
    let mutable = "NSMutable"
    guard className.hasPrefix(mutable) else {
      self.init(rawValue: className)
      return
    }
    self.init(rawValue: "NS" + className.dropFirst(mutable.count))
    switch self {
    case .string, .attributedString, .data, .indexSet, .array, .set, .orderedSet, .dictionary: break
    default: return nil
    }
  }
}
