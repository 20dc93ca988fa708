# SPDX-License-Identifier: MIT
# Bad input: a clear error, exit code 2, nothing written; never a crash, never a wrong result.
. "$2/tests/support/cli.sh"
small_scenario >good.toml
printf '0 1\n1 2\n3 4\n' >islands.txt

refuses 2 'there is no file "none.toml"' run none.toml
refuses 2 'topology.file: there is no file "none.txt"' run good.toml --set topology.file=none.txt
refuses 2 'the graph is not connected' run good.toml --set topology.file=islands.txt
refuses 2 'topology.agents: must be a whole number from 1' run good.toml --set topology.agents=0
refuses 2 'has rank 12 at most' run good.toml --set algorithm.rank=13
refuses 2 'agent 2 has no samples' run good.toml --set 'data.split={ sizes = [20, 20, 0, 10, 5, 5] }'
refuses 2 'did you mean algorithm.rank?' run good.toml --set algorithm.rnak=3
refuses 2 'must be SETTING=VALUE' run good.toml --set algorithm.rank
refuses 2 'threads' run good.toml --threads 0
refuses 2 "there is no command 'frobnicate'" frobnicate
refuses 2 'SCENARIO is required' run
refuses 2 'trials: must be' run good.toml --trials many
refuses 2 'exchange.scheme: must be' run good.toml --set exchange.scheme=rot13
refuses 2 'there is no file' validate none.toml
refuses 2 'there is no file' topo none.toml
refuses 1 'outside the range of exchange.max_abs = 0.9' run good.toml --set exchange.max_abs=0.9 --quiet

# a folder that holds something else is left as it is
mkdir taken
echo precious >taken/trace.csv
refuses 2 'no manifest explains' run good.toml --out taken
[ "$(cat taken/trace.csv)" = precious ] || fail "a foreign trace.csv was touched"
touch file
refuses 2 'cannot be an output folder' run good.toml --out file
"$sotto" run good.toml --out mine --quiet || fail "a good scenario did not run"
refuses 2 'results of another scenario' run good.toml --out mine --seed 4

# a stderr or stdout that cannot be written to
"$sotto" run none.toml 2>/dev/full
[ $? = 2 ] || fail "exit code with a full stderr"
"$sotto" validate good.toml >/dev/full 2>/dev/null
[ $? = 1 ] || fail "exit code with a full stdout"

# mutants, through the whole program
for k in $(seq 1 200); do
  awk -v k="$k" 'BEGIN { srand(k) } { lines[NR] = $0 }
    END { cut = 1 + int(rand() * NR); for (i = 1; i <= NR; i++) { l = lines[i];
      if (i == cut) { p = 1 + int(rand() * (length(l) + 1)); l = substr(l, 1, p - 1) substr("\"{[=#.-9x", 1 + int(rand() * 9), 1) substr(l, p + int(rand() * 3)) }
      if (rand() < 0.02) continue; print l } }' good.toml >mutant.toml
  "$sotto" validate mutant.toml >/dev/null 2>err.txt
  code=$?
  case $code in
    0) ;;
    2) grep -q '^sotto: mutant.toml' err.txt || fail "mutant $k: $(cat err.txt)" ;;
    *) fail "mutant $k: exit code $code" ;;
  esac
done
finish
