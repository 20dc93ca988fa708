# SPDX-License-Identifier: MIT
"""The other side of networkx.sh. `write` makes files with networkx; `compare` holds what sotto wrote and printed against
networkx's own reading of the same graphs."""
import glob
import importlib.util
import subprocess
import sys
import warnings

import networkx as nx

ATTRIBUTES = ("latency_ms", "bandwidth_mbit", "loss")
failures = 0
warnings.simplefilter("ignore", FutureWarning)


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def graphs():
    """Graphs by name, with what links have in all the ways that files can say it."""
    cities = nx.Graph()
    cities.add_node("Wien", label="<b> & \"c\"")
    cities.add_edge("Wien", "Zürich", latency_ms=5, color="red", weight=1.5)
    cities.add_edge("Zürich", "a \"b\" <c> & d", latency_ms=2.5, bandwidth_mbit=100, loss=0.01)
    cities.add_edge("a \"b\" <c> & d", "Ur")
    whole = nx.petersen_graph()
    nx.set_edge_attributes(whole, {e: k for k, e in enumerate(whole.edges)}, "weight")
    nx.set_edge_attributes(whole, {e: k for k, e in enumerate(whole.edges)}, "latency_ms")
    nx.set_node_attributes(whole, True, "active")
    real = nx.barbell_graph(5, 2)
    nx.set_edge_attributes(real, {e: 0.5 + k for k, e in enumerate(real.edges)}, "weight")
    nx.set_edge_attributes(real, {(0, 1): 0.25}, "loss")
    return {
        "cities": cities,
        "whole": whole,
        "real": real,
        "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(7, 9)),
        "random": nx.connected_watts_strogatz_graph(60, 6, 0.3, seed=5),
        "dense": nx.gnp_random_graph(25, 0.6, seed=2),
        "sparse": nx.random_regular_graph(4, 600, seed=3),
        "tree": nx.balanced_tree(3, 4),
        "one": nx.empty_graph(1),
        "from-one": nx.relabel_nodes(nx.path_graph(6), {k: k + 1 for k in range(6)}),
    }


def has(module):
    """Asked beforehand: networkx leaves an empty file behind where it finds out too late."""
    return importlib.util.find_spec(module) is not None


def write():
    for name, graph in graphs().items():
        nx.write_graphml(graph, name + ".graphml")
        if name != "cities":
            nx.write_edgelist(graph, name + ".edgelist")
        if has("pygraphviz"):
            nx.nx_agraph.write_dot(graph, name + ".gv")
        if has("pydot") and name != "cities":  # pydot 1.4 does not escape quotes
            nx.nx_pydot.write_dot(graph, name + ".dot")
    nx.write_graphml(nx.DiGraph([(0, 1), (1, 2)]), "directed.graphml")
    nx.write_graphml(nx.Graph([("Ur", "Rome"), ("Oslo", "Bonn")]), "disconnected.graphml")
    nx.write_graphml(nx.MultiGraph([(0, 1), (0, 1)]), "multi.graphml")
    nx.write_graphml(nx.Graph([(0, 1), (1, 1)]), "loop.graphml")
    nx.write_edgelist(nx.DiGraph([(0, 1), (1, 0)]), "multi.edgelist")
    nx.write_weighted_edgelist(nx.Graph([(0, 1, {"weight": 2.5})]), "weighted.edgelist")
    loss = nx.Graph()
    loss.add_edge(0, 1, loss=1.5)
    nx.write_graphml(loss, "loss.graphml")


def described(text):
    """What `sotto topo` printed, by label."""
    return {line[:23].strip(): line[23:] for line in text.splitlines()}


def link(data):
    return {name: float(data[name]) for name in ATTRIBUTES if data.get(name) not in (None, "")}


def edges(graph, rename=str):
    return {frozenset(map(rename, (a, b))): link(data) for a, b, data in graph.edges(data=True)}


def figures(graph):
    """networkx's own, which is slow: once per graph."""
    several = graph.number_of_nodes() > 1
    algebraic = dict(weight=None, tol=1e-10, method="tracemin_lu", seed=1)
    return {
        "diameter": nx.diameter(graph),
        "cuts": sorted(nx.articulation_points(graph), key=list(graph).index),
        "connectivity": nx.node_connectivity(graph) if several else 0,
        "algebraic": nx.algebraic_connectivity(graph, **algebraic) if several else 0,
    }


def compare_figures(file, graph, figure, printed):
    check(int(printed["agents"]) == graph.number_of_nodes(), f"{file}: agents")
    check(int(printed["edges"]) == graph.number_of_edges(), f"{file}: edges")
    for label, key in ("diameter", "diameter"), ("vertex connectivity", "connectivity"):
        check(int(printed[label]) == figure[key], f"{file}: {label} {printed[label]}, not {figure[key]}")
    cuts = printed["cut vertices"].replace('"', "")
    check(int(cuts.split(":")[0]) == len(figure["cuts"]), f"{file}: cut vertices {cuts}")
    for name in figure["cuts"][:3]:
        check(str(name).replace('"', "") in cuts, f"{file}: {name} is not among the cut vertices {cuts}")
    algebraic = float(printed["algebraic connectivity"])
    check(abs(algebraic - figure["algebraic"]) <= 1e-5 * figure["algebraic"], f"{file}: algebraic {algebraic}")


def read_again(file, graph):
    if file.endswith(".graphml"):
        return edges(nx.read_graphml(file))
    if file.endswith(".txt"):
        order = list(graph)
        by_number = set(order) == set(range(len(order)))
        return edges(nx.read_edgelist(file, nodetype=int), str if by_number else lambda k: str(order[k]))
    return edges(nx.nx_agraph.read_dot(file))


def compare(sotto):
    outputs = [".graphml", ".txt"]
    if has("pygraphviz"):
        outputs.append(".dot")
    read = 0
    for name, graph in graphs().items():
        figure = figures(graph)
        for file in sorted(glob.glob(name + ".*")):
            if file == "one.edgelist" or (name == "from-one" and file.endswith("edgelist")):
                continue
            outs = [f"out-{file.replace('.', '-')}{extension}" for extension in outputs]
            for out in outs:
                run = subprocess.run([sotto, "topo", file, "--write", out], capture_output=True, text=True)
                check(run.returncode == 0, f"{file}: {run.stderr}")
                if run.returncode == 0 and name != "one":
                    check(read_again(out, graph) == edges(graph), f"{file} to {out}: other edges or attributes")
            if run.returncode == 0:
                compare_figures(file, graph, figure, described(run.stdout))
                read += 1
    check(read >= 15, f"only {read} files were read")


if sys.argv[1] == "write":
    write()
else:
    compare(sys.argv[2])
sys.exit(failures != 0)
