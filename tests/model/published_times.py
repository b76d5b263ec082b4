#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""op2-model against published times of OP2: Airfoil with 720 000 cells, 1 000 iterations, on a Cray XE6 (Mudalige and
others, predictive modelling of OP2, table 3).

    published_times.py op2-model airfoil bench/results/scaling.jsonl

The network of the time is assumed beforehand: 1.5 us, 0.5 us of work per message, 5 GB/s; four messages per neighbour,
because OP2 did not group them. One constant is fitted, at 72 cores: the scale of the costs, which are those of
bench/results/scaling.jsonl; --scale multiplies those of loops and of packing. The other times follow: that nothing else differs
between the predictions is checked.
"""
import json
import math
import sys
import tempfile

from predictions import Predictor, airfoil_costs

PUBLISHED = {72: 13.22, 480: 2.09, 960: 1.12}
LINK = {"latency_us": 1.5, "overhead_us": 0.5, "bandwidth_GBs": 5}
MESSAGES = 4
FITTED_AT, ITERATIONS, TOLERANCE = 72, 1000, 0.10


def fitted_scale(seconds_at):
    """The factor with which the time at FITTED_AT is the published one; times grow with it."""
    low, high = 0.1, 100.0
    while high / low > 1.0005:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if seconds_at(middle) < PUBLISHED[FITTED_AT] else (low, middle)
    return math.sqrt(low * high)


def mesh_of(cut):
    """What a cut was made of, whatever the number of parts."""
    cut = json.loads(cut)
    return {name: cut[name] for name in ("program", "maps_hash", "how", "sets")}


def check_inputs(inputs, scale):
    """Every prediction had the same record, machine and options, but for the scale; those that are compared, the same scale
    too. Cuts differ in the number of parts."""
    fixed, cuts = {}, {}
    for options, files in inputs:
        assert options[0] == "--scale" and len(options) == 2, options
        for name, text in files.items():
            assert (cuts if name.startswith("cut_") else fixed).setdefault(name, text) == text, name
    assert sorted(fixed) == ["machine_XE6.json", "run_100.json", "run_200.json"], list(fixed)
    assert sorted(cuts) == sorted(f"cut_{count}.json" for count in PUBLISHED), list(cuts)
    assert len({json.dumps(mesh_of(text)) for text in cuts.values()}) == 1
    compared = inputs[-2 * len(PUBLISHED):]
    assert {options[1] for options, _ in compared} == {repr(scale)}, compared
    assert {name for _, files in compared for name in files if name in cuts} == set(cuts)


def main(tool, airfoil, scaling):
    with tempfile.TemporaryDirectory() as folder:
        predictor = Predictor(tool, airfoil, folder, airfoil_costs(scaling))
        records = predictor.records("run", (400, 600))
        cuts = predictor.cut(records[0], PUBLISHED)
        machine = predictor.machine("XE6", LINK, messages_per_neighbour=MESSAGES)

        def seconds(scale, cores):
            times = predictor.seconds_per_iteration(records, [cuts[count] for count in cores], machine, "--scale", repr(scale))
            return {count: ITERATIONS * times[count]["off"] for count in cores}

        scale = fitted_scale(lambda guess: seconds(guess, [FITTED_AT])[FITTED_AT])
        found = {count: seconds(scale, [count])[count] for count in PUBLISHED}
        check_inputs(predictor.inputs, scale)
    print(f"scale of the costs {scale:.2f}")
    for cores, published in PUBLISHED.items():
        error = found[cores] / published - 1
        print(f"{cores:4} cores: published {published:6.2f} s, predicted {found[cores]:6.2f} s, {100 * error:+.1f} %"
              + (" (fitted)" if cores == FITTED_AT else ""))
        assert abs(error) <= (0.001 if cores == FITTED_AT else TOLERANCE)


if __name__ == "__main__":
    main(*sys.argv[1:])
