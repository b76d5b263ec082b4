# SPDX-License-Identifier: BSD-3-Clause
"""The section of the scaling page about OP2_CHAIN=auto, from the auto.jsonl of bench_auto.py."""

import json
import statistics
import zlib

import core_distance
import explained_report
from paired_figures import interval_of
from programs import CACHES, CACHES_IN_WORDS

ALLOWED = 0.03  # above the better of off and on, in wall clock beside the spread of off
ENOUGH_RUNS = 15  # in wall clock
MOST_SPREAD = 0.08  # of off against off, from one end of its interval to the other: beyond it nothing is judged
ROWS_SINCE = "2026-11-29"  # there are single rows of halos, also with OP2_CHAIN=on
SAME = 0.01  # relative difference of times that are the same
# Of the excess over the better of off and on: within the first for this share of the points, none above the last.
LIMITS = {100: (0.03, 0.5, 0.40), 1000: (0.03, 0.98, 0.05), 10000: (0.03, 1.0, 0.03)}

HEADING = "## The choice by `OP2_CHAIN=auto`\n\n"

SIMULATED = """The choice by [`auto`](../../docs/design/chain-auto.md) was simulated over the points of this page (`choice_simulation_test`, which checks these
figures), 20 times each, with cuts 5 times, beginning with a model whose costs per loop are wrong by random factors up to 1.5, and with measured times
that scatter by 2 %. First there are only `off` and `on`, and nothing else takes time; then also three cuts, whose times lie between, up to
10 % higher or lower, as does what the model expects of them; the first two executions of each schedule take 1.5 times as long
(no tiles yet), and each flush after a change of the schedule 1.1 times (other halos). Then a new schedule takes two plans
of 2 flushes each, which do not count for the better one of `off` and `on`. Last, when its choice has been measured, the model chooses again with the true
costs of loops, as it does in the library, but is as wrong as before about messages and about what cuts gain (of Airfoil, whose counts are not recorded, it then knows the times of `off` and `on`): the test demands what is wanted of the first and of the last three rows;
those between show what would be missing. The time of all flushes but the first two, those of
comparisons included, is above the better of `off` and `on` by:

"""

MODELLED = """**The library itself on the modelled networks** (`make bench-auto`, data in [auto.jsonl](auto.jsonl), measured {dates} with
{libraries}). The true costs of loops, alone and in tiles, are those of this page times random factors up to 1.5; auto begins with the table that a run without
these factors has left.
Messages of comparisons, of agreements and of other schedules' halos are in these times; but times of the solver's chains travelled with
the barrier before each chain, which is not. Making a plan takes no time on
this clock, only its messages do; and the first two executions of a sequence are not timed: in them nothing is tried, but costs are
measured and agreed on. `off` and `on` are means of 10 repeats (of 100 flushes for Airfoil), since {since} after as many that do not
count. At points of that day, `on` had single rows of halos where counts of messages, bytes and iterations allowed it, which only `auto` has now. At points that were measured earlier neither way had such rows. In longer runs, where ranks drift apart, `on`
has been seen to take up to 1.4 % more, which counts here as an excess of auto. Loops run in tiles as the caches of the modelled machine suggest
({caches}). {measured}. Above the better of `off` and `on`:

"""

TILES = """**Chains that pay by tiles.** Loops of a chain share tiles, which end at an exchange; the executor makes them where the data of a rank
exceed half of its share of the cache, as the system reports it (32 MB for two ranks on the EPYC; 260 MB on this Xeon, where no loop runs in tiles:
what its rows with and without differ by is noise).
2 ranks of one machine, wall clock, us of an iteration, medians of interleaved runs:

"""

FAR = """Points that are more than 3 % above it:

"""

WALL = """**Wall clock** on 2 ranks of one machine, each bound to a core, one thread each, medians of interleaved runs. A sequence repeats 500 times in
Airfoil, 1 000 in loop_chain, 10 000 in conjugate gradients and the solver. Plans and comparisons are in these times, except in the first two executions. Runs after the first one of a series begin with the costs that earlier ones have left.
`auto` is compared, round by round, with that of `off` and `on` whose median is less, medians of these ratios; the last column is how much more a second run of `off` in each round may take than the first (the upper end of the
80 % interval of the median). Allowed are 3 % plus the last column, if that is positive. Where that interval is wider than {wide:.0f} %, the machine was too disturbed to judge anything. The machine is virtual, and its host moves the two cores: for some seconds or minutes
they share a cache, then they do not, and a line of memory takes about 90 or 400 ns from one to the other and back on the EPYC, 190 to 245 ns on the Xeon with 2.50 GHz, whose cores always share one (`cores_bench`). Messages of 80 kB then take
twice as long. So there are two tables; rounds of runs in which the cores were moved are left out. What has less than {few} runs is not judged.

"""

WALL_OF = """{cores} (measured {dates}):

"""


def key_of(record):
    kind = next(kind for kind in ("auto", "explained", "wall", "tiles") if kind in record)
    return json.dumps([kind, record[kind], record.get("cores", ""), record.get("cpu", "")], sort_keys=True)


def joined(before, record):
    """A point's record with the repeats of an earlier one too, if both have the same costs and times of off and on."""
    made = {**record, "dates": [record["date"]], "libraries": [record.get("library")]}
    if before is None or "auto" not in record or before.get("seed") != record.get("seed"):
        return made
    if any(abs(before["seconds"][way] / record["seconds"][way] - 1) > SAME for way in ("off", "on")):
        return made
    return {**made, "seconds": {**before["seconds"], **record["seconds"]},
            **{name: before[name] + made[name] for name in ("dates", "libraries")}}  # fmt: skip


def read(path):
    """By point; later records replace earlier ones of other costs, and join those of the same. Without points of other modelled caches."""
    records = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        record = json.loads(line)
        if "auto" in record and record.get("caches") != CACHES:
            continue
        records[key_of(record)] = joined(records.get(key_of(record)), record)
    return records


def seed_of(what):
    """Of the costs of a point: whatever else is measured."""
    return zlib.crc32(json.dumps(what, sort_keys=True).encode())


def missing(done, points, seed, repeats):
    """The numbers of repeats that a record of the modelled machine lacks of any of these points."""
    made = [done.get(key_of({"auto": point})) for point in points]
    return [count for count in repeats
            if not all(record and record.get("seed") == seed and str(count) in record["seconds"] for record in made)]


def known_rounds(done, case, made_by):
    """Of a case in wall clock, by distance of the cores: what each way took, round by round, if the same library and command made them on the same CPU."""
    records = {cores: done.get(key_of({"wall": case, "cores": cores, **made_by}), {}) for cores in core_distance.WORDS}
    runs = {cores: record["runs"] if made_by.items() <= record.items() else {} for cores, record in records.items()}
    return {cores: [dict(zip(ways, results)) for results in zip(*ways.values())] for cores, ways in runs.items()}


def excess(seconds, count):
    """Of auto over the better of off and on."""
    return seconds[str(count)] / min(seconds["off"], seconds["on"]) - 1


def summary(found, count):
    """Number of points, median, share within the limit, worst; whether the limits are kept."""
    within, share, worst = LIMITS[count]
    all_of = sorted(excess(seconds, count) for seconds in found if str(count) in seconds)
    inside = sum(e <= within for e in all_of) / len(all_of)
    return len(all_of), statistics.median(all_of), inside, all_of[-1], inside >= share and all_of[-1] <= worst


def percent(value, digits=1):
    return f"{100 * value:+.{digits}f} %"


def counts_of(found):
    return [count for count in LIMITS if any(str(count) in seconds for seconds in found)]


def simulated(path, table):
    """What choice_simulation_test has written, if it is there."""
    if not path.exists():
        return ""
    rows = [[row["schedules"], spaced(row["flushes"]), *(f"{100 * row[name]:.1f} %" for name in ("median", "most", "worst")), kept_in_simulation(row)]
            for row in json.loads(path.read_text())]  # fmt: skip
    return SIMULATED + table(["schedules", "flushes", "median", "98 % below", "worst", "wanted"], rows)


def kept_in_simulation(row):
    """Of what is wanted of the library itself."""
    limit, share, worst = LIMITS[row["flushes"]]
    within = {0.5: row["median"], 0.98: row["most"], 1.0: row["worst"]}[share]
    return wanted(row["flushes"]) + (": kept" if within <= limit and row["worst"] <= worst else ": missed")


def wanted(count):
    limit, share, worst = LIMITS[count]
    return f"{100 * share:.0f} % within {100 * limit:.0f} %, worst {100 * worst:.0f} %"


def spaced(count):
    return f"{count:,}".replace(",", " ")


def share_of(records, points_there_are):
    """How many of the points were measured."""
    left = f": {points_there_are - len(records)} were not" if len(records) < points_there_are else ""
    same = sum(len(set(record["seconds"].values())) == 1 for record in records)
    late = sum(record["date"] >= ROWS_SINCE for record in records)
    return (f"Of the {points_there_are} points (those of this page, with each chain of the solver; on 64 ranks up to 1 000 repeats) {len(records)} were measured{left}; {late} of them since {ROWS_SINCE}. "
            f"At {same} of them all ways do the same (one exchange is all that a chain can have there), so that nothing can be chosen")


def summary_rows(found):
    rows = []
    for count in counts_of(found):
        points, median, inside, worst, kept = summary(found, count)
        rows.append([spaced(count), str(points), percent(median), f"{100 * inside:.0f} %", percent(worst),
                     f"{wanted(count)}: {'kept' if kept else 'missed'}"])
    return rows


def modelled(records, points_there_are, table):
    found = [record["seconds"] for record in records]
    libraries = {library for record in records for library in record["libraries"]}
    number = "one library" if len(libraries) == 1 else f"{len(libraries)} successive libraries"
    text = MODELLED.format(dates=dates(records), caches=CACHES_IN_WORDS, measured=share_of(records, points_there_are), libraries=number, since=ROWS_SINCE)
    text += table(["repeats", "points", "median", "within 3 %", "worst", "wanted"], summary_rows(found))
    far = [far_row(record, counts_of(found)) for record in records
           if any(excess(record["seconds"], c) > ALLOWED for c in LIMITS if str(c) in record["seconds"])]  # fmt: skip
    if far:
        text += FAR + table(["program", "ranks", "cells per rank", "nchains", "latency, us", "off, us", "on, us",
                             *(f"auto, {count} repeats" for count in counts_of(found))], far)  # fmt: skip
    return text


def far_row(record, counts):
    point, seconds = record["auto"], record["seconds"]
    return [point["program"], str(point["ranks"]), str(point["cells"]), str(point.get("nchains") or "-"), str(point["latency"]),
            *(f"{1e6 * seconds[way]:.1f}" for way in ("off", "on")),
            *(percent(excess(seconds, count)) if str(count) in seconds else "-" for count in counts)]  # fmt: skip


def medians(record, name):
    return {way: statistics.median(run[name] for run in runs) for way, runs in record["runs"].items()}


def judged(record, name, enough=ENOUGH_RUNS):
    """The median excess of auto over the better way in its round; how much more off, measured again, may take (80 % interval); whether
    the first is within what is allowed and the second; None: it is not judged, as rounds are too few or off itself is too uncertain."""
    runs, median = record["runs"], medians(record, name)
    better = min(("off", "on"), key=median.get)
    above = statistics.median(auto[name] / other[name] for auto, other in zip(runs["auto"], runs[better])) - 1
    noise = interval_of([again[name] / off[name] for off, again in zip(runs["off"], runs["again"])])
    is_certain = len(runs["off"]) >= enough and noise.high - noise.low <= MOST_SPREAD
    spread = noise.high - 1
    return above, spread, above <= ALLOWED + max(0, spread) if is_certain else None


def wall_row(record, name):
    median, runs = medians(record, name), len(record["runs"]["off"])
    above, spread, kept = judged(record, name)
    what = name if name == record["wall"] else f"{record['wall']}, {name}"
    verdict = {None: " (not judged)", False: " (missed)", True: " (kept)" if above > ALLOWED else ""}[kept]
    return [what, record.get("cpu", "unknown"), str(runs), *(f"{1e6 * median[way]:.1f}" for way in ("off", "on", "auto")),
            percent(above) + verdict, percent(spread)]  # fmt: skip


def wall(records, table):
    """A table for each distance of the cores."""
    text = ""
    for cores, words in core_distance.WORDS.items():
        there = [record for record in records if record.get("cores") == cores]
        rows = [wall_row(record, name) for record in there for name in record["runs"]["off"][0]]
        if rows:
            text += WALL_OF.format(cores=words[0].upper() + words[1:], dates=dates(there)) + table(
                ["program", "CPU", "runs", "off, us", "on, us", "auto, us", "auto above the better", "off against off"], rows)
    return WALL.format(few=ENOUGH_RUNS, wide=100 * MOST_SPREAD) + text if text else ""


def tiles(records, table):
    """With tiles and without them: what chains save."""
    rows = []
    for record in records:
        found = {name: statistics.median(runs) for name, runs in record["runs"].items()}
        made = [record["tiles"], record.get("cpu", "unknown"), dates([record]), str(len(record["runs"]["off"]))]
        rows += [[*made, name, *(f"{1e6 * found[way + words]:.0f}" for way in ("off", "on")), percent(found["on" + words] / found["off" + words] - 1)]
                 for name, words in (("as chosen", ""), ("none", " no_tile"))]
    return TILES + table(["program", "CPU", "measured", "runs", "tiles", "off", "on", "on against off"], rows) if rows else ""


def dates(records):
    all_of = sorted({date for record in records for date in record["dates"]})
    return all_of[0] if len(all_of) == 1 else f"{all_of[0]} to {all_of[-1]}"


def plotted(records, path):
    """A picture of the excess at all points."""
    import matplotlib.pyplot as plt  # not everywhere; tests do without

    found = [record["seconds"] for record in records]
    figure, axis = plt.subplots(figsize=(7, 4))
    for count in counts_of(found):
        ordered = sorted(100 * excess(seconds, count) for seconds in found if str(count) in seconds)
        axis.plot([100 * (k + 0.5) / len(ordered) for k in range(len(ordered))], ordered, ".-",
                  label=f"{spaced(count)} repeats, {len(ordered)} points")
    axis.axhline(100 * ALLOWED, color="gray", linewidth=0.8)
    axis.set_xlabel("points, %")
    axis.set_ylabel("OP2_CHAIN=auto above the better of off and on, %")
    axis.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return f"![time with auto above the better of off and on]({path.name})\n\n"


def section(folder, points_there_are, table):
    """@param points_there_are  number of points that there are for modelled networks"""
    records = read(folder / "auto.jsonl").values()
    of_networks, of_choices, in_wall_clock, of_tiles = ([r for r in records if kind in r] for kind in ("auto", "explained", "wall", "tiles"))
    text = HEADING + simulated(folder / "auto_simulated.json", table)
    if of_networks:
        text += modelled(of_networks, points_there_are, table) + plotted(of_networks, folder / "auto.png")
    return text + explained_report.section(of_choices, table) + wall(in_wall_clock, table) + tiles(of_tiles, table)
