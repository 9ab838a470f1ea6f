import EvolutionExample
import GlobalData

/// `EvolutionVersion2 FILE` shows the content of the file, whichever release wrote it; `EvolutionVersion2 FILE write`
/// changes it.
@main struct Version2 {
  static func main() async {
    await runExample { store in
      store.register(Reader.self)
      if CommandLine.arguments.last == "write" {
        // Only the owner is written: the readers keep the form of the first release.
        try await store.update { data in
          guard var owner = try data.object(Reader.self, forKey: "owner") else { return }
          owner.nickname = "Countess"
          try data.set(owner, forKey: "owner")
          try data.set((data.object(Int.self, forKey: "visits") ?? 0) + 1, forKey: "visits")
        }
      }
      show("owner", in: store) { try store.object(Reader.self, forKey: "owner") }
      show("readers", in: store) { try store.object([Reader].self, forKey: "readers") }
      show("visits", in: store) { try store.object(Int.self, forKey: "visits") }
    }
  }
}
