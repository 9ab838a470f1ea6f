// `import GlobalData` is all that a user writes: the archive's and the mapping's public names come with it.
@_exported public import KeyedArchive
@_exported public import ModelMapping
