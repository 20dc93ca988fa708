# SPDX-License-Identifier: MIT
# sotto keys and sotto bench crypto as a user calls them.
. "$2/tests/support/cli.sh"
"$sotto" keys generate --kind djn --bits 256 --seed 7 --out a.key --public a.pub >a.txt 2>/dev/null || fail "no key"
"$sotto" keys generate --kind djn --bits 256 --seed 7 --out b.key >/dev/null 2>&1 || fail "no second key"
cmp a.key b.key || fail "the same seed gives another key"
"$sotto" keys generate --kind subgroup --bits 256 --out c.key >/dev/null 2>err.txt || fail "no key from the system"
[ -s err.txt ] && fail "a key from the system is called a seed's: $(cat err.txt)"
[ "$(stat -c %a a.key)" = 600 ] || fail "others may read a private key"
"$sotto" keys inspect a.pub | grep -q '^public key, djn, 256 bits (insecure)$' || fail "inspect a.pub"
"$sotto" keys inspect a.key | grep -q '^private key, djn, 256 bits (insecure)$' || fail "inspect a.key"
[ "$("$sotto" keys inspect a.key | tail -2)" = "$("$sotto" keys inspect a.pub | tail -2)" ] || fail "two keys of a pair differ"
"$sotto" keys inspect a.key --json | grep -q '"p"' && fail "secret numbers without --secret"
"$sotto" keys inspect a.key --json --secret | python3 -c '
import json, sys
k = {n: int(v) for n, v in json.load(sys.stdin).items() if n != "kind"}
assert k["n"] == k["p"] * k["q"] and k["g"] == k["n"] + 1
assert k["lambda"] * k["mu"] % k["n"] == 1 and (k["p"] - 1) * (k["q"] - 1) % k["lambda"] == 0' || fail "numbers"
head -c 40 a.key >cut.key
refuses 1 'cut.key: a Paillier private key: ' keys inspect cut.key
refuses 1 'a.pub: a public key has no secret numbers' keys inspect a.pub --json --secret
refuses 1 'none.key: cannot be read' keys inspect none.key
refuses 2 '--seed: -1 is negative' keys generate --seed -1 --out negative.key
refuses 1 'no/where.key: cannot be written' keys generate --bits 128 --seed 1 --out no/where.key
refuses 1 'an even number of bits' keys generate --bits 129 --seed 1 --out odd.key
refuses 2 '--bits' keys generate --bits 63 --out small.key
refuses 2 'it exists already' keys generate --bits 128 --out a.key
refuses 2 'must be another file than --out' keys generate --bits 128 --out d.key --public d.key
refuses 2 '--secret requires --json' keys inspect a.key --secret
[ -e small.key ] || [ -e odd.key ] && fail "a refused key was written"

# kept keys are the keys that a run makes itself, and a run finds them
small_scenario >small.toml
encrypted=(--set exchange.scheme=paillier --set exchange.key_bits=256)
SOTTO_KEYS=$PWD/none "$sotto" run small.toml "${encrypted[@]}" --set output.transcript=true --quiet --out without || fail "run"
SOTTO_KEYS=$PWD/kept "$sotto" keys cache small.toml "${encrypted[@]}" >/dev/null || fail "cache"
[ "$(ls kept | wc -l)" = 6 ] || fail "not a key for each of 6 agents: $(ls kept)"
SOTTO_KEYS=$PWD/kept "$sotto" run small.toml "${encrypted[@]}" --set output.transcript=true --quiet --out with || fail "run with kept keys"
cmp without/transcript.csv with/transcript.csv || fail "kept keys are other keys"
[ -e none ] && fail "a run made a folder for keys"
for file in kept/*; do echo broken >"$file"; done
export SOTTO_KEYS=$PWD/kept
refuses 1 'the kept key paillier-djn-256-' run small.toml "${encrypted[@]}" --quiet --out broken
refuses 2 'never kept' keys cache small.toml "${encrypted[@]}" --set entropy=os
unset SOTTO_KEYS

"$sotto" info >info.txt
"$sotto" bench crypto --key-bits 128,256 --repetitions 1 --quiet --json bench.json >bench.txt || fail "bench"
python3 - <<'END' || fail "bench.json: $(head -30 bench.json)"
import json
rows = json.load(open("bench.json"))
wanted = {"scheme", "keys", "key_bits", "operation", "seconds", "seconds_per_entry", "ratio_to_textbook"}
assert all(wanted <= set(r) for r in rows)
found = {(r["scheme"], r["keys"], r["key_bits"]) for r in rows if r["operation"] == "exchange"}
seal = next(line for line in open("info.txt") if line.startswith("SEAL"))
engines = [name for name, there in (("native", ", native" in seal), ("node", "node-seal" in seal)) if there]
over_seal = {(s, e, 0) for s in ("bfv", "bfv-fast") for e in engines}  # 62 bits are too wide for ckks
assert over_seal <= found, found
found -= over_seal
assert found == {("plain", "", 0)} | {("paillier", k, b) for k in ("standard", "djn", "subgroup") for b in (128, 256)} \
    | {("paillier-textbook", "", b) for b in (128, 256)}, found
assert all(r["ratio_to_textbook"] > 0 for r in rows if r["operation"] == "exchange")
END
"$sotto" bench crypto --key-bits 128 --value-bits 5 --factor-bits 1 --repetitions 1 --quiet >/dev/null || fail "bench of small numbers"
refuses 2 'must be even numbers from 128 to 16384' bench crypto --key-bits 127
refuses 1 'cannot be written' bench crypto --key-bits 128 --json no/where.json
finish
