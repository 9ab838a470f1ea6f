extension FieldConverter {
  /// An array whose elements are each written by another converter.
  ///
  /// - Parameter element: The converter of the elements.
  /// - Returns: A converter of arrays.
  public static func each<Element>(_ element: FieldConverter<Element>) -> FieldConverter where Value == [Element] {
    func open(_ element: some Conversion<Element>) -> FieldConverter {
      FieldConverter(ArrayConversion(element: element))
    }
    return open(element.conversion)
  }

  /// A dictionary whose values are each written by another converter.
  ///
  /// - Parameter value: The converter of the values.
  /// - Returns: A converter of dictionaries.
  public static func values<Element>(_ value: FieldConverter<Element>) -> FieldConverter
  where Value == [String: Element] {
    func open(_ element: some Conversion<Element>) -> FieldConverter {
      FieldConverter(DictionaryConversion(element: element))
    }
    return open(value.conversion)
  }
}
