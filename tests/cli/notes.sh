# SPDX-License-Identifier: MIT
# Settings, axes and links that nothing looks at are named on stderr, and change nothing else; labels stand below the table.
. "$2/tests/support/cli.sh"
small_scenario >s.toml

# notes FILE: the notes on stderr, sorted
notes() { grep '^note: ' "$1" | sort; }
expect() { diff <(sort) <(notes err.txt) || fail "$*"; }

"$sotto" run s.toml --out clean >out.txt 2>err.txt || fail "run: $(cat err.txt)"
expect "no notes" </dev/null
grep -qx 'all methods: .*' out.txt && fail "a label that not all methods have: $(cat out.txt)"
grep -qx 'corrected: no encryption: every message is readable' out.txt || fail "labels: $(cat out.txt)"
"$sotto" run s.toml --set exchange.key_bits=1024 --set topology.radius=0.5 --out unused >out.txt 2>err.txt || fail "run: $(cat err.txt)"
expect "run" <<'NOTES'
note: --set exchange.key_bits=1024: `exchange.key_bits` is set, but nothing uses it: exchange.scheme is plain
note: --set topology.radius=0.5: `topology.radius` is set, but nothing uses it: topology.generator is random
NOTES
"$sotto" run s.toml --quiet --set exchange.key_bits=1024 --out quiet >out.txt 2>err.txt || fail "run --quiet"
[ -s err.txt ] && fail "--quiet says something: $(cat err.txt)"

# in the file; with a method that uses it, it is used
printf '[exchange]\nkey_bits = 1024\n' | cat - s.toml | sed '/^name = "small"/d;/^seed/d;/^trials/d' >file.toml
"$sotto" validate file.toml >out.txt 2>err.txt || fail "validate: $(cat err.txt)"
expect "validate" <<'NOTES'
note: file.toml: `exchange.key_bits` is set, but nothing uses it: exchange.scheme is plain
NOTES
printf '[[method]]\nname = "encrypted"\nset = { "exchange.scheme" = "paillier" }\n' | cat file.toml - >used.toml
"$sotto" validate used.toml >out.txt 2>err.txt || fail "validate: $(cat err.txt)"
expect "a method uses it" </dev/null

# a sweep: an axis that no point uses, and a setting that one point uses
printf '[sweep]\n"exchange.key_bits" = [1024, 2048]\n' | cat s.toml - >axis.toml
"$sotto" validate axis.toml >out.txt 2>err.txt || fail "validate: $(cat err.txt)"
axis='note: axis.toml: `sweep.exchange.key_bits` is set, but nothing uses it: exchange.scheme is plain'
expect "validate a sweep" <<<"$axis"
"$sotto" sweep axis.toml --dry-run >out.txt 2>err.txt || fail "sweep --dry-run: $(cat err.txt)"
expect "sweep --dry-run" <<<"$axis"
"$sotto" sweep axis.toml --trials 1 --set algorithm.outer_iterations=3 --out swept >out.txt 2>err.txt || fail "sweep: $(cat err.txt)"
expect "sweep" <<<"$axis"
printf '[sweep]\n"exchange.scheme" = ["plain", "paillier"]\n' | cat file.toml - >scheme.toml
"$sotto" validate scheme.toml >out.txt 2>err.txt || fail "validate: $(cat err.txt)"
expect "a point uses it" </dev/null

# every edge has a latency of its own, one lacks a bandwidth
{ echo 'graph g {'; for k in 0 1 2 3 4; do echo "$k -- $((k + 1)) [latency_ms=2, bandwidth_mbit=5];"; done; echo '5 -- 0 [latency_ms=3]; }'; } >g.dot
links="--set topology.file=g.dot --set link.latency_ms=50 --set link.bandwidth_mbit=2"
"$sotto" run s.toml $links --out run >out.txt 2>err.txt || fail "links: $(cat err.txt)"
grep -q 'link.latency_ms.*every edge of topology.file has its own' err.txt || fail "latency is not named: $(cat err.txt)"
grep -q 'link.bandwidth' err.txt && fail "bandwidth is used"
"$sotto" retime run --set link.latency_ms=70 --set link.loss=0.1 --out retimed >out.txt 2>err.txt || fail "retime: $(cat err.txt)"
expect "retime" <<'NOTES'
note: --set link.latency_ms=70: `link.latency_ms` is set, but nothing uses it: every edge of topology.file has its own
NOTES
finish
