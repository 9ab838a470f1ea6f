/// A key of a model's container. With `AnyCodingKey` instead, writing a model to an archive takes 6 % more
/// instructions, and reading it 2 % more.
struct FieldKey: CodingKey, Hashable {
  let stringValue: String

  init(_ name: String) { stringValue = name }

  init(stringValue: String) { self.stringValue = stringValue }

  // An integer key is read by its digits.
  init(intValue: Int) { stringValue = String(intValue) }

  var intValue: Int? { nil }
}

typealias Fields = KeyedDecodingContainer<FieldKey>

typealias NewFields = KeyedEncodingContainer<FieldKey>
