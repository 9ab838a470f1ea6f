/// Returns a number and its unit, as in "1 entry" and "2 entries".
package func counted(_ count: Int, _ singular: String, _ plural: String) -> String {
  "\(count) \(count == 1 ? singular : plural)"
}
