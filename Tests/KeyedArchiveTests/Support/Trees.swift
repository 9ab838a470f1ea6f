import KeyedArchive

/// The tree of an object with a tag.
func object(
  _ tag: ArchiveTag, version: Int = 1, _ fields: KeyValuePairs<String, ArchiveValue>
) -> ArchiveValue {
  var object = ArchiveObject(tag: tag, version: version)
  for (name, value) in fields { object[name] = value }
  return .object(object)
}
