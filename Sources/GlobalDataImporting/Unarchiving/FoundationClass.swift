/// The classes of Foundation whose archived form is known.
enum FoundationClass {
  case null, string, attributedString, number, decimalNumber, data, date, uuid, url, value, timeZone, locale, indexSet,
    indexPath
  case array, set, orderedSet, dictionary

  init?(className: String) {
    switch className {
    case "NSNull": self = .null
    case "NSString", "NSMutableString": self = .string
    case "NSAttributedString", "NSMutableAttributedString": self = .attributedString
    case "NSNumber": self = .number
    case "NSDecimalNumber": self = .decimalNumber
    case "NSData", "NSMutableData": self = .data
    case "NSDate": self = .date
    case "NSUUID": self = .uuid
    case "NSURL": self = .url
    case "NSValue": self = .value
    case "NSTimeZone": self = .timeZone
    case "NSLocale": self = .locale
    case "NSIndexSet", "NSMutableIndexSet": self = .indexSet
    case "NSIndexPath": self = .indexPath
    case "NSArray", "NSMutableArray": self = .array
    case "NSSet", "NSMutableSet": self = .set
    case "NSOrderedSet", "NSMutableOrderedSet": self = .orderedSet
    case "NSDictionary", "NSMutableDictionary": self = .dictionary
    default: return nil
    }
  }

  /// Whether its objects hold others that have types of their own.
  var isCollection: Bool {
    switch self {
    case .array, .set, .orderedSet, .dictionary: true
    default: false
    }
  }
}
