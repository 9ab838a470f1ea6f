import EvolutionExample
import GlobalData

/// `EvolutionVersion1 FILE write` stores two people; `EvolutionVersion1 FILE` shows the content of the file.
@main struct Version1 {
  static func main() async {
    await runExample { store in
      store.register(Person.self)
      if CommandLine.arguments.last == "write" {
        let ada = Person(name: "Ada", books: ["Emma", "Persuasion"], city: "London", age: 36)
        try await store.set(ada, forKey: "owner")
        try await store.set([ada, Person(name: "Bo", books: [], city: "Malmö", age: 7)], forKey: "readers")
        try await store.set(1, forKey: "visits")
      }
      show("owner", in: store) { try store.object(Person.self, forKey: "owner") }
      show("readers", in: store) { try store.object([Person].self, forKey: "readers") }
      show("visits", in: store) { try store.object(Int.self, forKey: "visits") }
    }
  }
}
