// Code that this module shares with the mapping of models. None of it is public.
@_exported public import CodingSupport
