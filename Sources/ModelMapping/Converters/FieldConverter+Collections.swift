extension FieldConverter {
  /// Returns a converter that converts each element of an array.
  ///
  /// - Parameter element: The converter of the elements.
  /// - Returns: A converter of arrays.
  public static func each<Element>(_ element: FieldConverter<Element>) -> FieldConverter where Value == [Element] {
    FieldConverter(ArrayConversion(element: element), canRead: element.canRead, canWrite: element.canWrite)
  }

  /// Returns a converter that converts each value of a dictionary.
  ///
  /// - Parameter value: The converter of the values.
  /// - Returns: A converter of dictionaries.
  public static func values<Element>(_ value: FieldConverter<Element>) -> FieldConverter
  where Value == [String: Element] {
    FieldConverter(DictionaryConversion(element: value), canRead: value.canRead, canWrite: value.canWrite)
  }
}
