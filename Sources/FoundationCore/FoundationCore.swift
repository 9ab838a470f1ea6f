// The part of Foundation that the store and the archive use, and the C library. They import this module instead of
// Foundation.
//
// On Apple's systems, Foundation is part of the system. Elsewhere, all of it adds ICU, 45 MB, to a static program, and
// FoundationEssentials suffices. The stored forms of other Foundation types are in FoundationForms.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials

// FoundationEssentials does not export the C library, unlike Foundation.
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
