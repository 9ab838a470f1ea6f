// What the store and the archive use of Foundation, and the C library. They import this module in place of Foundation.
//
// Apple's systems have one Foundation, which is theirs. Elsewhere the whole of it brings ICU, 45 MB of a static
// program, and its smaller part has all that they need. Types of the rest have their stored forms in FoundationForms.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials

// FoundationEssentials does not bring the C library along, as Foundation does.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Android)
@_exported public import Android
#endif
#else
@_exported public import Foundation
#endif
