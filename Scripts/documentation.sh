#!/usr/bin/env bash
# Builds the documentation of all modules, and fails at a warning, at a public name without documentation, and where the public API is
# not what .ci/public-api.txt lists.
#
#   Scripts/documentation.sh [--record-api] [FOLDER]
#
# With --record-api, the list is written anew. It is that of Linux, and is compared there only.
# The archives are put into the folder, by default .build/documentation. Needs nothing but the toolchain, and for these two
# checks Python 3. To read them: docc preview Sources/GlobalData/GlobalData.docc, or Xcode's Build Documentation.
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
  python3 .ci/undocumented.py "$PWD/Sources" "$graphs"/*/*.symbols.json
  if [ "$(uname)" = Linux ]; then
    python3 .ci/public_api.py .ci/public-api.txt "$graphs"/*/*.symbols.json ${record[@]+"${record[@]}"}
  fi
else
  echo "skipped: without Python 3, nobody looks for public names without documentation, or at changes of the public API"
fi
