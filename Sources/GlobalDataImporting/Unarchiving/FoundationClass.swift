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

  /// A class whose objects can change archives them as the class whose objects cannot.
  init?(className: String) {
    let mutable = "NSMutable"
    self.init(rawValue: className.hasPrefix(mutable) ? "NS" + className.dropFirst(mutable.count) : className)
  }

  /// Whether its objects hold others that have types of their own.
  var isCollection: Bool {
    switch self {
    case .array, .set, .orderedSet, .dictionary: true
    default: false
    }
  }
}
