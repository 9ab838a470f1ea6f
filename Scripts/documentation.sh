#!/usr/bin/env bash
# Builds the documentation of all modules. Fails if there is a warning, an undocumented public symbol, a page without topics, or a difference
# between the public API and .ci/public-api.txt.
#
#   Scripts/documentation.sh [--record-api] [FOLDER]
#
# With --record-api, updates that list, which is for Linux and only compared there.
# Writes the archives to the folder, by default .build/documentation. Only needs the toolchain and, for the last three checks,
# Python 3. To read the documentation: docc preview Sources/GlobalData/GlobalData.docc, or Xcode's Build Documentation.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

record=()
if [ "${1:-}" = --record-api ]; then
  record=(--record)
  shift
fi
output="${1:-.build/documentation}"
graphs="$(mktemp -d)"
trap 'rm -rf "$graphs"' EXIT
docc=docc
command -v "$docc" >/dev/null || docc="$(xcrun --find docc)" # with Xcode it is not in the path

swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members --emit-extension-block-symbols
mkdir -p "$output"
for module in KeyedArchive ModelMapping GlobalData GlobalDataImporting GlobalDataTesting; do
  mkdir "$graphs/$module"
  find .build -path '*/symbolgraph/*' \( -name "$module.symbols.json" -o -name "$module@*.symbols.json" \) \
    -exec cp {} "$graphs/$module/" \;
  if [ ! -f "$graphs/$module/$module.symbols.json" ]; then
    echo "error: there is no symbol graph of $module" >&2
    exit 1
  fi
  "$docc" convert "Sources/$module/$module.docc" --warnings-as-errors \
    --additional-symbol-graph-dir "$graphs/$module" --fallback-display-name "$module" \
    --fallback-bundle-identifier "org.globaldata.$module" --output-path "$output/$module.doccarchive"
done

if command -v python3 >/dev/null; then
  python3 .ci/topics.py "$output"/*.doccarchive
  python3 .ci/undocumented.py "$PWD/Sources" "$graphs"/*/*.symbols.json
  if [ "$(uname)" = Linux ]; then
    python3 .ci/public_api.py .ci/public-api.txt "$graphs"/*/*.symbols.json ${record[@]+"${record[@]}"}
  fi
else
  echo "skipped: install Python 3 to check for undocumented public symbols, pages without topics and changes of the public API"
fi
