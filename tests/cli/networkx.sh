# SPDX-License-Identifier: MIT
# Files between Sotto and networkx, both ways, and every figure of `sotto topo` against networkx's.
. "$2/tests/support/cli.sh"
python=/usr/bin/python3
if ! "$python" -c 'import networkx, scipy' 2>/dev/null; then
  echo "skipped: python3-networkx and python3-scipy are not installed"
  exit 77
fi
"$python" "$project/tests/cli/networkx_files.py" write || fail "networkx did not write its files"
"$python" "$project/tests/cli/networkx_files.py" compare "$sotto" || fail "Sotto and networkx do not agree"

refuses 2 'the graph is directed' topo directed.graphml
refuses 2 'the graph is not connected: agents "Oslo", "Bonn" cannot be reached from agent "Ur"' topo disconnected.graphml
refuses 2 'edge 0-1 was on line' topo multi.graphml
refuses 2 'agent 1 has an edge to itself' topo loop.graphml
refuses 2 'multi.edgelist:2:1: edge 1-0 was on line 1 already' topo multi.edgelist
refuses 2 'weighted.edgelist:1:5: more than two agent numbers' topo weighted.edgelist
refuses 2 'loss: must be a number from 0 to 0.99' topo loss.graphml
refuses 2 'the graph is not connected' topo from-one.edgelist

# what topo writes, and where
refuses 2 'must end in one of .graphml, .xml, .dot, .gv, .txt, .edges, .edgelist, .svg' topo real.graphml --write real.png
refuses 2 'cannot be written: it exists already' topo real.graphml --write whole.graphml
refuses 2 'is a topology file' topo real.graphml --seed 3
refuses 2 'there is no file' topo none.graphml
small_scenario >small.toml
"$sotto" topo small.toml --trial 1 --write small.svg >description.txt || fail "no drawing"
"$python" -c 'import xml.dom.minidom as m; m.parse("small.svg")' || fail "the drawing is not XML"
"$sotto" topo cities.graphml --write cities.svg >cities.txt || fail "no drawing of names"
"$python" -c 'import xml.dom.minidom as m; m.parse("cities.svg")' || fail "the drawing with names is not XML"
grep -q '^own links              2 of 3 edges: "Wien"-"Zürich" latency_ms=5' cities.txt || fail "own links: $(cat cities.txt)"

# a scenario takes the same files, and every trial has the same graph
"$sotto" validate small.toml --set topology.file=whole.graphml >/dev/null 2>err.txt
grep -qF 'topology.agents: is 6, but whole.graphml has 10 agents' err.txt || fail "$(cat err.txt)"
sed '/^agents = 6$/d' small.toml >file.toml
for trial in 0 2; do
  "$sotto" topo file.toml --set topology.file=whole.graphml --trial $trial --write trial$trial.graphml >/dev/null || fail "topology.file"
done
cmp trial0.graphml trial2.graphml || fail "trials of a topology file differ"
finish
