# SPDX-License-Identifier: BSD-3-Clause
"""Figures of two builds, measured in rounds: ratios of present to base and of base to base, and which are slower."""

from dataclasses import dataclass
from math import comb
from statistics import median

# Keys of a figure that are measured, and whether more is better; and those that say what was measured.
MORE_IS_BETTER = {
    "ms_per_iter": False, "hand_ms_per_iter": False, "library_ms_per_iter": False, "us_per_loop": False,
    "library_us": False, "direct_us": False, "library_ms": False, "hand_loops_ms": False, "hand_fused_ms": False,
    "seconds": False, "peak_mb": False, "value": False, "hand_gb_per_s": True, "library_gb_per_s": True,
}  # fmt: skip
SUBJECT = ("case", "figure", "cells", "threads", "loops", "steps", "tile", "cache", "ranks", "unit")


LIMIT = 1.02  # up to here a median is "not slower", whatever the noise


@dataclass(frozen=True)
class Interval:
    """The median of some ratios, and between what the true median lies with a probability of at least 80 %."""

    low: float
    median: float
    high: float

    def __str__(self):
        return f"{self.median:6.3f} [{self.low:.3f}, {self.high:.3f}]"


def interval_of(values, certainty=0.8):
    """From order statistics, without an assumption about the distribution; None without values.

    The k-th smallest and the k-th largest of n values enclose the median with the probability
    1 - 2 P(B < k), B binomial with n trials of probability 1/2 (H. A. David, Order Statistics, 2.5).
    """
    if not values:
        return None
    ordered, n = sorted(values), len(values)
    k = 0  # how many values are left out at each end
    while 2 * (k + 1) < n and 1 - 2 * sum(comb(n, i) for i in range(k + 2)) / 2**n >= certainty:
        k += 1
    return Interval(ordered[k], median(ordered), ordered[n - 1 - k])


@dataclass(frozen=True)
class Comparison:
    """One figure of both builds, by round. A ratio above 1: the present build takes more."""

    name: str
    base: list
    present: list
    ratios: list  # present to base
    noise: list  # base to base, a second run of it in the same round
    is_control: bool  # code in which the library has no part

    def is_slower(self):
        """Whether the median is above the limit and above what base shows against itself."""
        if not self.ratios:
            return False
        noise = interval_of(self.noise)
        return median(self.ratios) > max(LIMIT, noise.high if noise else 0)

    def as_record(self):
        record = {"comparison": self.name, "base": median(self.base), "present": median(self.present),
                  "pairs": len(self.ratios), "control": self.is_control, "slower": self.is_slower()}
        for kind, ratios in (("ratio", self.ratios), ("noise", self.noise)):
            if ratios:
                interval = interval_of(ratios)
                record |= {f"{kind}_low": interval.low, f"{kind}_median": interval.median, f"{kind}_high": interval.high}
        return record


def name_of(benchmark, figure, key):
    subject = [str(figure[k]) if k in ("case", "figure") else f"{k} {figure[k]}" for k in SUBJECT if k in figure]
    return ", ".join([benchmark, *subject]) + f": {key}"


def is_control(figure, key):
    return key.startswith(("hand_", "direct_")) or str(figure.get("case", "")).startswith("hand")


def values_of(benchmark, figures):
    """name -> (value, whether more is better, whether it is a control)"""
    return {name_of(benchmark, figure, key): (figure[key], MORE_IS_BETTER[key], is_control(figure, key))
            for figure in figures for key in figure if key in MORE_IS_BETTER}


def ratio_of(before, now, more_is_better):
    """One in a list; none if a time is not above zero."""
    if before <= 0 or now <= 0:
        return []
    return [before / now if more_is_better else now / before]


def compare(rounds):
    """Comparisons of the figures that both builds have.

    rounds: (benchmark, figures of base, of present, of base once more), one for each round
    """
    found = {}
    for benchmark, *runs in rounds:
        base, present, again = (values_of(benchmark, figures) for figures in runs)
        for name in (name for name in base if name in present and name in again):
            value, more_is_better, control = base[name]
            entry = found.setdefault(name, Comparison(name, [], [], [], [], control))
            entry.base.append(value)
            entry.present.append(present[name][0])
            entry.ratios.extend(ratio_of(value, present[name][0], more_is_better))
            entry.noise.extend(ratio_of(value, again[name][0], more_is_better))
    return list(found.values())


def table(comparisons):
    width = max((len(c.name) for c in comparisons), default=0)
    lines = [f"{'':{width}} {'base':>9} {'present':>9}   present/base [80 %]      base/base [80 %]        rounds"]
    for c in comparisons:
        ratios, noise = (f"{interval_of(values) or '-'!s:>22}" for values in (c.ratios, c.noise))
        lines.append(f"{c.name:{width}} {median(c.base):9.4g} {median(c.present):9.4g}   {ratios}  {noise} {len(c.ratios):6}"
                     + ("  (control)" if c.is_control else "") + ("  slower" if c.is_slower() else ""))
    return "\n".join(lines)


def summary(comparisons):
    slower = [f"{c.name} ({median(c.ratios):.3f}{', control' if c.is_control else ''})"
              for c in comparisons if c.is_slower()]
    return (f"{len(slower)} of {len(comparisons)} figures are slower: their median is above {LIMIT} and above the 80 % "
            f"interval of base against base" + "".join(f"\n  {c}" for c in slower))
