# SPDX-License-Identifier: BSD-3-Clause
"""The section of the scaling page about examples/hydra_chains, beside the published tables."""

import statistics

PUBLISHED = {
    # Doubles of a halo row: loop by loop, with chains; layers with chains; gain of chains in percent and less
    # bytes in percent on 4, 16 and 64 nodes. The first two are quotients of the bytes of table 5.
    "weight": (18, 6, 2, (3.57, -6.42, 11.01), (33.58, 47.46, 57.94)),
    "period": (29, 1, 2, (3.11, 35.16, 42.35), (93.12, 94.56, 95.64)),
    "gradl": (30, 30, 2, (-141.71, -288.51, -302.87), (-99.26, -57.63, -26.18)),
    "vflux": (34, 34, 1, (-9.11, -11.58, -0.44), (0, 0, 0)),
    "iflux": (None, None, 1, None, None),
    "jacob": (51, 26, 1, (25.59, 4.57, 40.61), (49.02, 49.02, 49.02)),
}
# Most iterations of a rank on 4 nodes (512 ranks): in the core; after the messages, loop by loop; with chains.
PUBLISHED_ITERATIONS = {
    "weight": (50206, 37538, 135189), "period": (93122, 75076, 271347), "gradl": (46548, 27106, 123131),
    "vflux": (62842, 16674, 16674), "jacob": (3658, 10432, 10432),
}  # fmt: skip

INTRODUCTION = """## The chains of a production solver

`examples/hydra_chains` has six chains of loops with the sets, dimensions and access modes that are published for a flow solver
(Ekanayake, Reguly, Luporini, Mudalige, ICPP 2023, tables 3 to 5: 8 million nodes on 512 to 8192 cores), on a cube of nodes with
periodic pairs in x; parts are boxes. Kernels are new, so times would compare in sign only, counts compare exactly. Published
figures are in italics; "-" is not published.

"""

DIFFERENCES = """Why they differ:

* *weight* 18 and *period* 29 became {weight} and {period}: the published loops over edges have OP_RW, for which a library must send
  the values that they modify. They only add, so here they have OP_INC and need none of them. By the rule of dirty bits,
  the published access modes give 18, 29, 30, 34, 6, 51; the unit tests check that (`--as-published` has these modes).
* Layers: there every dat is sent as deep as the deepest loop of the chain; here each as deep as its own readers need. *period* needs
  {period_layers} layers of `vol`, where two are published: a general mesh needs them, because a pair of nodes next to the border
  of a part passes on what an edge beyond it has done ([halo-algebra.md](../../docs/design/halo-algebra.md#10-the-published-algorithm)).
* *jacob* exchanges {jacob} values at one layer instead of 51 with chains and without: `bnd` and `cbnd` have one map, and each of
  their elements is on the rank of its node ([local maps](../../docs/design/halo-algebra.md#local-maps)), so their loops need no halo. Nothing is left
  for chains to save.
* *gradl* exchanges as many values with chains as without, most of them once more for the second layer. Only a message is saved,
  so it gains where latency counts and loses where bytes and iterations do. The published loss is
  mainly redundant work: {published_edges:.1f} times as many edges as a rank owns are executed after the messages there, here {edges:.2f} times
  ({ranks} ranks of {nodes} nodes).
* *period* sends no `q9` with chains, because its copies are valid when the chain begins, as the published bytes suggest: an untimed loop before it
  has written them. Otherwise its 9 values would be sent, too.
* *vflux* and *iflux* have one exchange before their only loop over edges, so that nothing is gained or lost; published are losses of up to 12 %.
* Bytes of *weight*: with chains half as many values go, but two layers deep, and the second layer is a little larger than the first, so as many
  bytes go. Published are a third as many values (6 for 18), hence fewer bytes.
* Iterations without chains: a rank here is a box of a regular cube, with three edges per node and the least border that there is, a published one is part of a general
  mesh: it executes several times as many iterations outside its core in every chain, also where nothing is chained, and has more boundary elements and pairs
  (*jacob* has no others). What chains add grows with that.
* Cores: an edge whose nodes a loop before it completes only after the messages must wait, too. So the core of *weight* is smaller than that of *gradl* here, though both have one loop over edges:
  pairs and the axis change `qo` before. The published cores do not show that.
* Signs of *weight* and *period*: with 2 us a chain costs more than it saves, since its iterations grow by about what the next table says and the messages that it
  spares take a few microseconds. With 50 us *weight* gains at all sizes, *period* up to some thousands of nodes per rank. The published gains of *period* grow with the number of nodes in spite of 70 % more
  iterations: messages took most of the time there, with 128 ranks on a node that send at once. The model of this page has no such crowding.
* *vflux* gains over `separate`, since five messages to a neighbour become one and packing is not dearer. Published are losses, of the same loops and bytes.
* `on` exchanges whole levels. What pairs and boundaries need of other ranks are single rows, and levels hold whole layers: the table of slices
  below shows how many bytes and iterations that saves, and gains where layers lose.
* Published gains are over one message per dat and halo part; those here too, and beside them over the one message per neighbour that
  `OP2_CHAIN=off` sends.

"""


class SolverResults:
    """All measured points of the solver's chains."""

    def __init__(self, records):
        self.wall = [r for r in records if "solver_wall" in r]
        self.results, self.sliced = {}, {}
        for record in records:
            for kind, found in (("solver_point", self.results), ("solver_sliced", self.sliced)):
                if kind in record:
                    p = record[kind]
                    found[p["ranks"], p["nodes"], p["latency"], p["mode"]] = {chain["chain"]: chain for chain in record["result"]["chains"]}

    def points(self):
        """Those of which all latencies and modes were measured."""
        wanted = len(self.latencies()) * len({key[3] for key in self.results})
        found = [key[:2] for key in self.results]
        return sorted({point for point in found if found.count(point) == wanted})

    def timed(self):
        """Whether enough executions were averaged: the first ones also prepare their plans."""
        return all(chain["executions"] >= 8 for chains in self.results.values() for chain in chains.values())

    def latencies(self):
        return sorted({key[2] for key in self.results})

    def chain(self, point, latency, mode, name):
        return self.results[(*point, latency, mode)][name]

    def seconds(self, point, latency, mode, name):
        return self.chain(point, latency, mode, name)["most"]["seconds"]

    def gain(self, point, latency, over, name):
        """Percent of the time without chains that they save."""
        return 100 * (1 - self.seconds(point, latency, "on", name) / self.seconds(point, latency, over, name))


def values(chain):
    """Values of a halo row that one execution exchanges."""
    return sum(dim * exchanges for dim, exchanges, _ in chain["dats"].values())


def layers(chain):
    parts = [f"{dat} {count}" for dat, (_, _, count) in chain["dats"].items() if count > 0]
    return ", ".join(parts)


def less_bytes(results, point, name):
    """Percent."""
    sums = [results.chain(point, results.latencies()[0], mode, name)["sum"]["bytes"] for mode in ("off", "on")]
    return 100 * (1 - sums[1] / sums[0])


def italic(value):
    return "-" if value is None else f"*{value}*"


def spans(figures):
    """The published figures of 4, 16 and 64 nodes."""
    return "-" if figures is None else "*" + " / ".join(f"{figure:+.0f}" for figure in figures) + "*"


def exchanges_table(results, point, table):
    latency, rows = results.latencies()[0], []
    for name, (apart, together, depth, _, bytes_less) in PUBLISHED.items():
        separate, off, on = (results.chain(point, latency, mode, name) for mode in ("separate", "off", "on"))
        rows.append([name, f"{values(off)} ({italic(apart)})", f"{values(on)} ({italic(together)})",
                     f"{layers(on)} (*{depth}*)", f"{off['most']['exchanges']:.0f} / {on['most']['exchanges']:.0f}",
                     " / ".join(f"{mode['most']['messages']:.0f}" for mode in (separate, off, on)),
                     f"{less_bytes(results, point, name):+.0f} ({spans(bytes_less)})"])  # fmt: skip
    text = f"Exchanges of {point[0]} ranks with {point[1]} nodes each:\n\n"
    return text + table(["chain", "values of a halo row: loop by loop", "with chains", "layers with chains",
                         "exchanges: off / on", "messages of one rank: separate / off / on",
                         "less bytes with chains, %"], rows)  # fmt: skip


def iterations_table(results, point, table):
    latency, rows = results.latencies()[0], []
    for name in PUBLISHED:
        off, on = (results.chain(point, latency, mode, name)["most"] for mode in ("off", "on"))
        core, after, chained = PUBLISHED_ITERATIONS.get(name, (None,) * 3)
        rows.append([name, f"{off['core']:.0f} ({italic(core)})", f"{off['rest']:.0f} ({italic(after)})",
                     f"{on['core']:.0f} ({italic(core)})", f"{on['rest']:.0f} ({italic(chained)})",
                     f"{100 * ((on['core'] + on['rest']) / (off['core'] + off['rest']) - 1):+.1f}"])
    text = (f"Iterations of one rank, the largest number of {point[0]} ranks with {point[1]} nodes each "
            "(*512 ranks with 15 625*); those in the core run while messages are under way:\n\n")  # fmt: skip
    return text + table(["chain", "off: core", "other", "on: core", "other", "more with chains, %"], rows)


def times_table(results, latency, table):
    rows = []
    for point in results.points():
        for name, (*_, gains, _) in PUBLISHED.items():
            times = [f"{1e6 * results.seconds(point, latency, mode, name):.1f}" for mode in ("separate", "off", "on")]
            rows.append([*map(str, point), name, *times, f"{results.gain(point, latency, 'separate', name):+.1f}",
                         f"{results.gain(point, latency, 'off', name):+.1f}", spans(gains)])
    text = f"Time of one execution with {latency} us of latency, and what chains save of it:\n\n"
    return text + table(["ranks", "nodes per rank", "chain", "separate, us", "off, us", "on, us",
                         "gain over separate, %", "over off, %", "published: 4 / 16 / 64 nodes"], rows)  # fmt: skip


def wall_table(results, table):
    """Medians of interleaved runs, and the spread of those without chains."""
    rows = []
    for record in results.wall:
        for name in PUBLISHED:
            off, on = ([run[name] for run in record["seconds"][mode]] for mode in ("off", "on"))
            middle = statistics.median(off)
            rows.append([str(record["solver_wall"]["nodes"]), name, f"{1e6 * middle:.1f}",
                         f"{1e6 * statistics.median(on):.1f}", f"{100 * (1 - statistics.median(on) / middle):+.1f}",
                         f"{100 * (min(off) / middle - 1):+.0f} to {100 * (max(off) / middle - 1):+.0f}"])  # fmt: skip
    if not rows:
        return ""
    runs = len(results.wall[0]["seconds"]["off"])
    text = f"Without a model: wall clock on 2 ranks of one machine, one thread each, medians of {runs} interleaved runs:\n\n"
    return text + table(["nodes per rank", "chain", "off, us", "on, us", "gain, %", "spread of off, %"], rows)


SLICES = """With `OP2_DEBUG=slice=always`, chains receive and execute exactly the rows that they need where that is much less
([halo-algebra.md](../../docs/design/halo-algebra.md#slices-exact-rows-instead-of-levels)). `OP2_CHAIN=auto` does so where it predicts the least time.
Bytes are those of all ranks; iterations are the most of any rank while messages are in flight, and after them. The model of this page charges iterations, rows and bytes, not that rows are taken one by one:

"""


def slices_table(results, table):
    rows = []
    for (ranks, nodes, latency, _), sliced in sorted(results.sliced.items()):
        if (ranks, nodes) not in results.points():
            continue
        for name, by_rows in sliced.items():
            off, on = (results.chain((ranks, nodes), latency, mode, name) for mode in ("off", "on"))
            if by_rows["sum"]["bytes"] == on["sum"]["bytes"]:
                continue
            chains = (off, on, by_rows)
            rows.append([str(ranks), str(nodes), str(latency), name, *(f"{1e6 * c['most']['seconds']:.1f}" for c in chains),
                         f"{100 * (1 - by_rows['most']['seconds'] / off['most']['seconds']):+.1f}",
                         " / ".join(f"{c['sum']['bytes'] / 1e6:.2f}" for c in chains),
                         " / ".join(f"{c['most']['core'] + c['most']['rest']:.0f}" for c in chains)])  # fmt: skip
    if not rows:
        return ""
    return SLICES + table(["ranks", "nodes per rank", "latency, us", "chain", "off, us", "on, us", "with slices, us", "gain over off, %",
                           "MB: off / on / slices", "iterations: off / on / slices"], rows)  # fmt: skip


def differences(results, point):
    latency = results.latencies()[0]
    chain = lambda mode, name: results.chain(point, latency, mode, name)  # noqa: E731
    largest = max(results.points())
    edges = results.chain(largest, latency, "on", "gradl")["most"]["loops"]["edgecon"]
    owned = 3 * largest[1]
    published = (PUBLISHED_ITERATIONS["gradl"][2] - PUBLISHED_ITERATIONS["jacob"][2]) / (3 * 15625)  # without pedges
    return DIFFERENCES.format(
        weight=values(chain("off", "weight")), period=values(chain("off", "period")),
        period_layers=chain("on", "period")["dats"]["vol"][2], jacob=values(chain("off", "jacob")),
        published_edges=published, edges=edges[1] / owned, ranks=largest[0], nodes=largest[1])  # fmt: skip


def error_text(results):
    """*jacob* does the same with and without chains."""
    gains = [abs(results.gain(point, latency, "off", "jacob"))
             for point in results.points() for latency in results.latencies()]  # fmt: skip
    return ("All ranks begin a chain at the same time, so that waiting for what is before it is not in its time. *jacob* exchanges and "
            f"executes the same with chains and without, and its times differ by at most {max(gains):.1f} %: this clock repeats, which says "
            "nothing about how exact the model is.\n\n")  # fmt: skip


def section(records, table):
    """Empty if nothing was measured."""
    results = SolverResults(records)
    if not results.results:
        return ""
    points = results.points()
    usual, largest = points[min(1, len(points) - 1)], max(points)
    text = INTRODUCTION + exchanges_table(results, usual, table) + differences(results, usual)
    text += iterations_table(results, largest, table)
    if not results.timed():
        return text
    for latency in results.latencies():
        text += times_table(results, latency, table)
    return text + error_text(results) + slices_table(results, table) + wall_table(results, table)
