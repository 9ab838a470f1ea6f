import GlobalData

/// A self-contained page to browse an archive. Values are untrusted: the page contains them as JSON without characters
/// that are special in HTML, and the script shows them as text, never as HTML. If both fail, the page's policy still
/// forbids loading and sending.
struct HTMLPage {
  var title: String
  var byteCount: Int

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
    \(HTMLPage.styleSheet)
    </style>
    </head>
    <body>
    \(HTMLPage.body)
    <script type="application/json" id="archive">
    {"name":\(HTMLPage.text(title)),"byteCount":\(byteCount),"entries":[
    """
  }

  func append(_ entry: GlobalData.EntryInfo, _ value: ArchiveValue, to writer: TextWriter) {
    writer.append("{\"key\":")
    writer.append(text: entry.key)
    writer.append(",\"type\":")
    writer.append(text: entry.type)
    writer.append(",\"size\":\(entry.size),\"node\":")
    writer.append(node: value)
    writer.append("}")
  }

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

  /// Nothing may be loaded, framed or sent; only the page's own content is used.
  private static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

  /// JSON that cannot end a script: characters that are special in HTML are escaped.
  static let style: JSONStyle = {
    let escapes = JSONStyle.Escapes { $0.isControl || $0 == "<" || $0 == ">" || $0 == "&" }
    return JSONStyle(textEscapes: escapes, nameEscapes: escapes)
  }()

  private static func text(_ text: String) -> String {
    let writer = TextWriter(style)
    writer.append(text: text)
    return writer.collected
  }

  private static func escaped(_ text: String) -> String {
    text.escapingControls().replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
