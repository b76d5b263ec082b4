#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What examples/hydra_chains must exchange and execute, from definitions alone: the sets W_h as sets of
elements, found from the maps; the integer rules of docs/design/halo-algebra.md, written again; the loops, written
again. Nothing here comes from a run of the library.

    hydra_chains_spec.py --write FILE    the table that hydra_chains_on_ranks.py compares with
    hydra_chains_spec.py --family N P    levels of the edges of a cube of N x N x N nodes on P ranks
"""
import argparse
import json
from functools import cache

import numpy

NONE, EVERY, DEEPEST = -(10**6), 10**6, -40
READ, WRITE, RW, INC = "READ", "WRITE", "RW", "INC"
NODES, EDGES, PEDGES, BND, CBND = range(5)  # each but the first has one map, to nodes
LOCAL = (BND, CBND)  # sets whose every element is on the rank of its only node

DIM = {"qo": 6, "q9": 9, "vol": 1, "q": 6, "qp": 6, "ql": 18, "x": 3, "xp": 3, "qmu": 1, "qrg": 6,
       "res": 6, "vres": 6, "jac": 25, "jaca": 1, "area": 3, "weight": 1, "kind": 1}  # fmt: skip
SET_OF = {"area": EDGES, "weight": PEDGES, "kind": BND}  # all others: nodes


def loop(name, over, direct=(), mapped=()):
    """Accesses as (dat, access): of the element, and of its node or both its nodes."""
    return name, over, [(*d, False) for d in direct] + [(*m, True) for m in mapped]


def nodes_loop(name, *accesses):
    return loop(name, NODES, (("x", READ), *accesses))


def pairs_loop(name, *dats):
    return loop(name, PEDGES, [("weight", READ)], [(d, RW) for d in dats])


NEGFLAG = loop("negflag", PEDGES, (), [("vol", RW)])
LIMXP = loop("limxp", EDGES, (), [("vol", READ), ("q9", INC)])
EQUAL = pairs_loop("periodicity_of_limits", "q9")
CHAINS = {  # name: (flush before it, its loops, at the start of the program only)
    "weight": ([nodes_loop("start_weights", ("qo", RW))],
               [loop("sumbwts", BND, [("kind", READ)], [("qo", INC)]),
                pairs_loop("periodsym", "qo"),
                loop("centreline", CBND, (), [("qo", WRITE)]),
                loop("edglength", EDGES, (), [("xp", READ), ("qo", INC)]),
                pairs_loop("periodicity", "qo")], True),
    "period": ([nodes_loop("relax_volume", ("vol", RW)), nodes_loop("start_limits", ("q9", WRITE)),
                loop("spread_limits", EDGES, (), [("q9", READ), ("res", INC)]),
                loop("spread_sums", EDGES, (), [("res", READ), ("vres", INC)])],
               [NEGFLAG, LIMXP, EQUAL, LIMXP, EQUAL, NEGFLAG], True),
    "gradl": ([nodes_loop("relax_gradients", ("q", RW), ("qp", RW), ("ql", RW))],
              [loop("edgecon", EDGES, [("area", READ)], [("q", READ), ("qp", INC), ("ql", INC)]),
               pairs_loop("gradl_period", "qp", "ql")], False),
    "vflux": ([nodes_loop("relax_state", *((d, RW) for d in ("qp", "xp", "ql", "qmu", "qrg")))],
              [loop("initres", NODES, [("res", WRITE)]),
               loop("vflux_edge", EDGES, [("area", READ)],
                    [(d, READ) for d in ("qp", "xp", "ql", "qmu", "qrg")] + [("res", INC)])], False),
    "iflux": ([nodes_loop("relax_reference", ("qrg", RW))],
              [loop("initviscres", NODES, [("vres", WRITE)]),
               loop("iflux_edge", EDGES, [("area", READ)], [("qrg", READ), ("vres", INC)])], False),
    "jacob": ([nodes_loop("relax_jacobian", ("jac", RW), ("jaca", RW))],
              [pairs_loop("jac_period", "jac", "jaca"),
               loop("jac_centreline", CBND, (), [("jac", WRITE)]),
               loop("jac_corrections", BND, [("kind", READ)], [("jac", RW)])], False),
}  # fmt: skip
STEP = loop("step", NODES, [("res", READ), ("vres", READ), ("q", RW)])


# ---- the mesh and its owners


def mixed(state):
    bits = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % 2**64
    return bits ^ (bits >> 31)


def cells_in_order(width, numbering):
    """Of each node number: where it is, counted by planes."""
    cells = list(range(width**3))
    if numbering == "random":
        for left in range(len(cells), 1, -1):
            k = mixed((1 + (width**3 - left + 1) * 0x9E3779B97F4A7C15) % 2**64) % left
            cells[left - 1], cells[k] = cells[k], cells[left - 1]
    return numpy.array(cells)


def boxes_for(ranks):
    boxes, factor, factors = [1, 1, 1], 2, []
    while ranks > 1:
        while ranks % factor == 0:
            factors.append(factor)
            ranks //= factor
        factor += 1
    for factor in reversed(factors):
        boxes[boxes.index(min(boxes))] *= factor
    return boxes


class Mesh:
    def __init__(self, width, ranks, numbering="planes"):
        cells = cells_in_order(width, numbering)
        number = numpy.argsort(cells)
        at = numpy.stack([cells % width, cells // width % width, cells // width**2], axis=1)
        strides, last = (1, width, width**2), width - 1
        edges = numpy.full((len(cells), 3, 2), -1)
        for d in range(3):
            inside = at[:, d] < last
            edges[inside, d] = numpy.stack([numpy.flatnonzero(inside),
                                            number[cells[inside] + strides[d]]], axis=1)
        edges = edges[edges[:, :, 0] >= 0]
        low = numpy.flatnonzero(at[:, 0] == 0)
        wall = numpy.flatnonzero(((at[:, 1:] == 0) | (at[:, 1:] == last)).any(axis=1))
        axis = numpy.flatnonzero((at[:, 1:] == 0).all(axis=1))
        pairs = numpy.stack([low, number[cells[low] + last]], axis=1)
        self.maps = [None, edges, pairs, wall[:, None], axis[:, None]]
        self.sizes = [len(cells), *(len(m) for m in self.maps[1:])]
        boxes = boxes_for(ranks)
        box = at * numpy.array(boxes) // width
        self.ranks = ranks
        self.owner = [(box[:, 2] * boxes[1] + box[:, 1]) * boxes[0] + box[:, 0]]
        self.owner += [self.inherited(m) for m in self.maps[1:]]

    def inherited(self, targets):
        """The owner of the targets; of two, the lower or the higher by a hash of the row's number."""
        owners = numpy.sort(self.owner[NODES][targets], axis=1)
        toss = [mixed((row + 0x9E3779B97F4A7C15) % 2**64) % 2 for row in range(len(targets))]
        return numpy.where(numpy.array(toss) == 0, owners[:, 0], owners[:, -1])

    @cache  # noqa: B019, the program has one object
    def level(self, rank, h):
        """W_h of every set."""
        if h == 0:
            return [owner == rank for owner in self.owner]
        nearer = self.level(rank, h - 1 if h > 0 else h + 1)
        here = [members.copy() for members in nearer]
        for over in range(EDGES, CBND + 1):
            targets = self.maps[over]
            if h > 0 and h % 2:
                here[over] |= nearer[NODES][targets].any(axis=1)
            elif h > 0:
                here[NODES][targets[nearer[over]]] = True
            elif h % 2:
                here[over] &= nearer[NODES][targets].all(axis=1)
            else:
                here[NODES][targets[~nearer[over]]] = False
        return here


# ---- the rules


def local(h):
    """Where the nodes of W_h of a local set are; it is all that leads there."""
    return 2 * ((h - 1) // 2) if h > 0 else 2 * (h // 2) + 2 if h < 0 else 0


def up(h, over):
    """Where the nodes are that W_h of a set accesses."""
    return local(h) if over in LOCAL else 2 * (h // 2) + 2


def cov(h, over):
    """Which nodes lack nothing after W_h of a set has run."""
    return local(h) if over in LOCAL else 2 * ((h - 1) // 2)


def inside(h, over):
    """What can run if only W_h of the nodes can be accessed."""
    return 2 * (h // 2) + (2 if over in LOCAL and h >= 0 else -1)


def need_exec(j):
    return 2 * -(-j // 2) + 1


def uses_old(access, mapped):
    return access in (READ, RW) or (access == INC and not mapped)


def demand(loops, wanted=0):
    """Extents of the loops, and the level up to which each dat must be valid before them."""
    need = {dat: wanted for dat in DIM}
    extents = []
    for _, over, accesses in reversed(loops):
        wants = [need_exec(need[d]) if mapped else need[d]
                 for d, access, mapped in accesses if access != READ and need[d] != NONE]
        extent = max(wants, default=NONE)
        extents.insert(0, extent)
        if extent == NONE:
            continue
        before = dict(need)
        for d, access, mapped in accesses:
            if access == WRITE and not mapped:
                before[d] = NONE
        for d, access, mapped in accesses:
            if uses_old(access, mapped):
                before[d] = max(before[d], up(extent, over) if mapped else extent)
            if mapped and access != READ:  # rows that no element reaches, or only one that does not run
                before[d] = max(before[d], need[d])
        need = before
    used = {d for _, _, accesses in loops for d, _, _ in accesses}
    return extents, {d: need[d] for d in used}


def interiors(loops, extents, valid, need):
    """Levels that can run while the missing layers are in flight."""
    written = {d: valid[d] if valid[d] < need.get(d, NONE) else EVERY for d in DIM}
    read = dict.fromkeys(DIM, EVERY)
    cores = []
    for (_, over, accesses), extent in zip(loops, extents):
        core = extent
        for d, access, mapped in accesses:
            limit = written[d] if access == READ else min(written[d], read[d])
            core = min(core, inside(limit, over) if mapped else limit)
        core = NONE if core < DEEPEST else core
        cores.append(core)
        if core == extent:
            continue
        for d, access, mapped in accesses:
            done = core if core == NONE or not mapped else cov(core, over)
            if access != READ:
                written[d] = min(written[d], done)
            if access != WRITE:
                read[d] = min(read[d], done)
    return cores


def validity_after(loops, extents, valid, need):
    valid = {d: max(valid[d], need.get(d, NONE)) for d in DIM}
    for (_, over, accesses), extent in zip(loops, extents):
        made = {}
        for d, access, mapped in accesses:
            if access != READ:
                here = min(valid[d], cov(extent, over)) if mapped else extent
                made[d] = min(made.get(d, EVERY), here)
        valid.update(made)
    return valid


def missing(valid, need):
    return {d: (max(valid[d], 0), to) for d, to in need.items() if to > max(valid[d], 0)}


def modified(loops):
    return {d for _, _, accesses in loops for d, access, _ in accesses if access != READ}


class Schedule:
    """What one flush does: a list of (loops, extents, interiors, what is exchanged before)."""

    def __init__(self, valid, chained):
        self.valid, self.chained = valid, chained

    def flush(self, loops):
        return self.whole(loops) if self.chained else self.loop_by_loop(loops)

    def whole(self, loops):
        extents, need = demand(loops)
        layers = missing(self.valid, need)
        cores = interiors(loops, extents, self.valid, need) if layers else [NONE] * len(loops)
        self.valid = validity_after(loops, extents, self.valid, need)
        return [(loops, extents, cores, layers)]

    def loop_by_loop(self, loops):
        """A loop that needs an exchange begins a chain, or the one before it begins with the exchange, if it has none and
        leaves the dats as they are; other loops stay in the chain before them."""
        chains = []
        for one in loops:
            before = self.valid
            extents, need = demand([one])
            layers = missing(self.valid, need)
            self.valid = validity_after([one], extents, self.valid, need)
            if not chains or layers and (chains[-1][3] or modified(chains[-1][0]) & set(layers)):
                chains.append(([], [], before, {}))
            if layers:
                chains[-1] = (*chains[-1][:2], before, layers)
            chains[-1][0].append(one)
            chains[-1][1].append(extents[0])
        result = []
        for these, extents, before, layers in chains:
            need = {d: to for d, (_, to) in layers.items()}
            cores = interiors(these, extents, before, need) if layers else [NONE] * len(these)
            result.append((these, extents, cores, layers))
        return result


# ---- counts


class Counter:
    """Of one execution of a chain on all ranks."""

    def __init__(self, mesh):
        self.mesh = mesh
        self.sum = dict.fromkeys(("exchanges", "messages", "bytes", "packed_rows"), 0)
        self.loops, self.dats = {}, {}

    def add(self, loops, extents, cores, layers):
        if layers:
            self.add_exchange(layers)
        for (name, over, _), extent, core in zip(loops, extents, cores):
            count = self.loops.setdefault(name, [0, 0, 0])
            for rank in range(self.mesh.ranks):
                run = self.members(rank, extent, over)
                early = self.members(rank, core, over)
                count[0] += int(early.sum())
                count[1] += int((run & ~early).sum())
                count[2] += int((run & ~self.members(rank, 0, over)).sum())

    def members(self, rank, level, over):
        if level == NONE:
            return numpy.zeros(self.mesh.sizes[over], dtype=bool)
        return self.mesh.level(rank, level)[over]

    def add_exchange(self, layers):
        self.sum["exchanges"] += 1
        for dat, (begin, end) in layers.items():
            count = self.dats.setdefault(dat, [DIM[dat], 0, 0])
            count[1] += 1
            count[2] += (end + 1) // 2 - (begin + 1) // 2
        for rank in range(self.mesh.ranks):
            sizes = {}  # of the message from each owner
            for dat, (begin, end) in layers.items():
                over = SET_OF.get(dat, NODES)
                for h in range(begin + 1, end + 1):
                    new = self.members(rank, h, over) & ~self.members(rank, h - 1, over)
                    owners, rows = numpy.unique(self.mesh.owner[over][new], return_counts=True)
                    for owner, count in zip(owners, rows):
                        self.sum["packed_rows"] += int(count)
                        padded = -(-int(count) * 8 * DIM[dat] // 16) * 16
                        sizes[owner] = sizes.get(owner, 16) + padded
            self.sum["messages"] += len(sizes)
            self.sum["bytes"] += sum(sizes.values())

    def result(self):
        return {**self.sum, "loops": self.loops, "dats": self.dats}


def expected(mesh, chained):
    """Counts of every chain: those of its second and third execution, which are the same."""
    schedule = Schedule(dict.fromkeys(DIM, 0), chained)
    seen = {name: [] for name in CHAINS}
    for at_start, times in (True, 3), (False, 3):
        for _ in range(times):
            for name, (before, loops, first) in CHAINS.items():
                if first == at_start:
                    schedule.flush(before)
                    counter = Counter(mesh)
                    for part in schedule.flush(loops):
                        counter.add(*part)
                    seen[name].append(counter.result())
            if not at_start:
                schedule.flush([STEP])
    for name, results in seen.items():
        assert results[1] == results[2], f"{name} does not repeat"
    return {name: results[1] for name, results in seen.items()}


CASES = [(12, ranks, "planes") for ranks in range(2, 9)] + [(9, 5, "random"), (24, 8, "planes")]


def table():
    lines = []
    for width, ranks, numbering in CASES:
        mesh = Mesh(width, ranks, numbering)
        for chain in "off", "on":
            lines.append({"width": width, "ranks": ranks, "numbering": numbering, "chain": chain,
                          "chains": expected(mesh, chain == "on")})
    return lines


def family(width, ranks):
    """Most edges of one rank: owned, core, and beyond the core up to one, two and three layers."""
    mesh = Mesh(width, ranks)
    rows = []
    for rank in range(ranks):
        size = {h: int(mesh.level(rank, h)[EDGES].sum()) for h in (-1, 0, 1, 3, 5)}
        rows.append([size[0], size[-1], *(size[h] - size[-1] for h in (1, 3, 5))])
        mesh.level.cache_clear()
    return [max(column) for column in zip(*rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--family", nargs=2, type=int, metavar=("N", "P"))
    options = parser.parse_args()
    if options.family:
        owned, core, *beyond = family(*options.family)
        print(f"edges owned {owned}, core {core}, beyond the core up to 1, 2, 3 layers {beyond}, "
              f"two layers over owned {beyond[1] / owned:.3f}")
    if options.write:
        with open(options.write, "w", encoding="ascii") as file:
            file.writelines(json.dumps(line, sort_keys=True) + "\n" for line in table())


if __name__ == "__main__":
    main()
