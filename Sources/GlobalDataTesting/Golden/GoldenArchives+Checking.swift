import Foundation
import GlobalData

extension GoldenArchives {
  /// Checks that today's models open the archives of all releases, and lose nothing of them.
  ///
  /// For each release:
  ///
  /// - The shape of today's models is compared with the recorded one. A field that is gone, new or of another type has
  ///   to be accounted for: by an optional, a former name, a default, or a higher version with its migration.
  /// - Each value in the archive is read as today's type, through its migrations; no field in it may be left unread;
  ///   and it has to be possible to write it, and to read it again.
  ///
  /// - Throws: ``GoldenArchivesError`` with all that is wrong, also where no release was recorded yet.
  public func check() throws {
    let schema = try schema()
    let releases = try releases()
    guard !releases.isEmpty else {
      throw GoldenArchivesError(
        nil, "no release was recorded in \(folder.path). Call record(release:) once and keep its files.")
    }
    let problems = releases.flatMap { release in
      (shapeProblems(of: release, schema) + valueProblems(of: release)).map { message in
        GoldenArchivesError.Problem(release: release, message: message)
      }
    }
    guard problems.isEmpty else { throw GoldenArchivesError(problems: problems) }
  }

  private func shapeProblems(of release: String, _ schema: ArchiveSchema) -> [String] {
    let text: String
    do {
      text = try String(contentsOf: schemaURL(release), encoding: .utf8)
    } catch {
      return ["its schema cannot be read: \(error)"]
    }
    guard var old = ArchiveSchema(text: text) else { return ["\(schemaURL(release).path) is not a schema"] }
    old.keys = old.keys.filter { !retiredKeys.contains($0.key) }
    return schema.problems(reading: old)
  }

  private func valueProblems(of release: String) -> [String] {
    let values: [(key: String, value: Data)]
    do {
      values = try GlobalData.encodedValues(inFileAt: archiveURL(release))
    } catch {
      return ["its archive cannot be read: \(error)"]
    }
    return values.flatMap { key, value -> [String] in
      // The schema reports a key without a model.
      guard !retiredKeys.contains(key), let model = models.first(where: { $0.key == key }) else { return [] }
      do {
        return try model.open(value, registry).map { path in
          "key \"\(key)\": the stored field \(path) is read by no model and is lost with the next write"
        }
      } catch {
        return ["key \"\(key)\": it cannot be opened: \(error)"]
      }
    }
  }
}
