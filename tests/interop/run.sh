# SPDX-License-Identifier: MIT
# Keys and ciphertexts both ways with npm's paillier-bigint. $1: paillier_interop, $2: the project.
set -u
if ! command -v node >/dev/null || [ ! -d "$2/tests/interop/node_modules/paillier-bigint" ]; then
  echo "skipped: needs node and 'npm ci --prefix tests/interop'"
  exit 77
fi
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
exchange="$2/tests/interop/exchange.mjs"
"$1" make "$folder/ours.json"
node "$exchange" answer "$folder/ours.json" "$folder/answer.json"
"$1" check "$folder/ours.json" "$folder/answer.json"
node "$exchange" make "$folder/theirs.json"
"$1" read "$folder/theirs.json"
echo "all as it should be"
