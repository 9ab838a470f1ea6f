// `import GlobalData` is all that a user writes: the archive's public names come with it.
@_exported public import KeyedArchive
