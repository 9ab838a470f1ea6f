// Users write only `import GlobalData`, which also gives them the public names of the archive.
@_exported public import KeyedArchive
