import GlobalData

/// One page to browse an archive, which needs nothing but itself.
///
/// Values are hostile: they stand in the page as JSON without a character that HTML knows, and the script shows them as text
/// and never as HTML. Should both fail, the page's policy lets nothing be loaded or sent.
struct HTMLPage {
  var title: String
  var byteCount: Int

  /// All that stands before the entries.
  var beginning: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(HTMLPage.policy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(HTMLPage.escaped(title))</title>
    <style>
    \(HTMLPage.style)
    </style>
    </head>
    <body>
    \(HTMLPage.body)
    <script type="application/json" id="archive">
    {"name":\(HTMLPage.text(.string(title))),"byteCount":\(byteCount),"entries":[
    """
  }

  /// An entry; entries are joined by commas.
  func entry(_ entry: GlobalData.EntryInfo, _ value: ArchiveValue) -> String {
    var object = entry.json
    object["node"] = PageNode.node(of: value)
    return HTMLPage.text(object)
  }

  /// All that stands behind the entries.
  var end: String {
    """
    ]}
    </script>
    <script>
    \(HTMLPage.script)
    </script>
    </body>
    </html>
    """
  }

  /// Nothing may be loaded, framed or sent; only what stands in the page is used.
  private static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

  /// JSON that ends no script: what HTML could take for its own is escaped.
  private static func text(_ value: ArchiveValue) -> String {
    value.json().escapingControls()
      .replacing("<", with: "\\u003c").replacing(">", with: "\\u003e").replacing("&", with: "\\u0026")
  }

  private static func escaped(_ text: String) -> String {
    text.escapingControls().replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
