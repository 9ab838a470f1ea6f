@_weakLinked import Foundation
import KeyedArchive

extension SortDescriptor: RareGenericType {
  package static var argument: Any.Type { Compared.self }

  package static func type<Argument>(of _: Argument.Type) -> Any.Type { SortDescriptor<Argument>.self }
}
