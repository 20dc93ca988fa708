# SPDX-License-Identifier: MIT
# All output but timings.csv is byte-identical for 1, 2 and 8 threads and across repeated runs.
. "$2/tests/support/cli.sh"
small_scenario >s.toml
run() { "$sotto" run s.toml --quiet --set output.factors=true --set output.transcript=true --out "$1" --threads "$2" || fail "run $1"; }
run one 1
run two 2
run eight 8
run again 2
[ "$(ls one | wc -l)" = 10 ] || fail "expected 10 files: $(ls one)"
for other in two eight again; do
  for file in one/*; do
    name=$(basename "$file")
    [ "$name" = timings.csv ] && continue
    cmp "$file" "$other/$name" || fail "$other/$name differs"
  done
done
# encrypted too, ciphertexts and masks included
sed '/^\[\[method/,$d' s.toml >e.toml
encrypted() {
  "$sotto" run e.toml --quiet --set output.transcript=true --set topology.min_degree=2 --set exchange.scheme=paillier \
    --set exchange.key_bits=256 --set algorithm.outer_iterations=6 --set exchange.privacy=neighborhood-sum \
    --out "encrypted$1" --threads "$2" || fail "encrypted run $1"
}
encrypted 1 1
encrypted 2 2
encrypted 8 8
SOTTO_KERNEL=gmp encrypted gmp 2  # as on a machine without vector instructions
for file in encrypted1/*; do
  name=$(basename "$file")
  [ "$name" = timings.csv ] && continue
  for other in 2 8 gmp; do
    cmp "$file" "encrypted$other/$name" || fail "encrypted$other/$name differs"
  done
done
[ "$(wc -l <one/timings.csv)" = 13 ] || fail "timings.csv has a row per trial and method"
finish
