import GlobalData
import SwiftUI

// The views of the article about observing changes, as they appear there.

extension GlobalData.Keys {
  static let volume = Key("volume", default: 0.5)
}

struct Settings: View {
  @Stored(.volume) var volume

  var body: some View {
    Slider(value: $volume)
    Button("Mute") { volume = 0 }
  }
}

@MainActor public func settings() -> any View { Settings() }

enum Telling {
  struct Settings: View {
    @Stored(.volume, onFailure: { error in Banner.shared.show("Not saved: \(error)") }) var volume

    var body: some View {
      Slider(value: $volume)
      if _volume.failure != nil { Text("The volume could not be saved.") }
    }
  }
}

@MainActor public func tellingSettings() -> any View { Telling.Settings() }

@MainActor public final class Banner {
  public static let shared = Banner()
  public private(set) var texts: [String] = []

  func show(_ text: String) { texts.append(text) }
}
