# SPDX-License-Identifier: BSD-3-Clause
"""Figures of two builds, measured in pairs: medians, and the ratio of each pair."""

from dataclasses import dataclass
from statistics import median

# Keys of a figure that are measured, and whether more is better; and those that say what was measured.
MORE_IS_BETTER = {
    "ms_per_iter": False, "hand_ms_per_iter": False, "library_ms_per_iter": False, "us_per_loop": False,
    "library_us": False, "direct_us": False, "library_ms": False, "hand_loops_ms": False, "hand_fused_ms": False,
    "seconds": False, "peak_mb": False, "value": False, "hand_gb_per_s": True, "library_gb_per_s": True,
}  # fmt: skip
SUBJECT = ("case", "figure", "cells", "threads", "loops", "steps", "tile", "cache", "ranks", "unit")


@dataclass(frozen=True)
class Comparison:
    """One figure of both builds, by round. A ratio above 1: the present build takes more."""

    name: str
    base: list
    present: list
    ratios: list
    is_control: bool  # code in which the library has no part

    def as_record(self):
        return {"comparison": self.name, "base": median(self.base), "present": median(self.present),
                "pairs": len(self.ratios), "control": self.is_control, **self.spread()}

    def spread(self):
        if not self.ratios:
            return {}
        return {"ratio_min": min(self.ratios), "ratio_median": median(self.ratios), "ratio_max": max(self.ratios)}


def name_of(benchmark, figure, key):
    subject = [str(figure[k]) if k in ("case", "figure") else f"{k} {figure[k]}" for k in SUBJECT if k in figure]
    return ", ".join([benchmark, *subject]) + f": {key}"


def is_control(figure, key):
    return key.startswith(("hand_", "direct_")) or str(figure.get("case", "")).startswith("hand")


def values_of(benchmark, figures):
    """name -> (value, whether more is better, whether it is a control)"""
    return {name_of(benchmark, figure, key): (figure[key], MORE_IS_BETTER[key], is_control(figure, key))
            for figure in figures for key in figure if key in MORE_IS_BETTER}


def compare(pairs):
    """Comparisons of the figures that both builds have.

    pairs: (benchmark, figures of base, figures of present), one for each round
    """
    found = {}
    for benchmark, base, present in pairs:
        values, others = values_of(benchmark, base), values_of(benchmark, present)
        for name in (name for name in values if name in others):
            (before, more_is_better, control), now = values[name], others[name][0]
            entry = found.setdefault(name, Comparison(name, [], [], [], control))
            entry.base.append(before)
            entry.present.append(now)
            if before > 0 and now > 0:
                entry.ratios.append(before / now if more_is_better else now / before)
    return list(found.values())


def table(comparisons):
    width = max((len(c.name) for c in comparisons), default=0)
    lines = [f"{'':{width}} {'base':>9} {'present':>9}   ratio: min  median     max  pairs"]
    for c in comparisons:
        ratios = "  ".join(f"{value:6.3f}" for value in c.spread().values()) or f"{'-':>22}"
        lines.append(f"{c.name:{width}} {median(c.base):9.4g} {median(c.present):9.4g}       {ratios} {len(c.ratios):6}"
                     + ("  (control)" if c.is_control else ""))
    return "\n".join(lines)


def summary(comparisons, limit=1.02):
    above = [f"{c.name} ({median(c.ratios):.3f}{', control' if c.is_control else ''})"
             for c in comparisons if c.ratios and median(c.ratios) > limit]
    return f"{len(above)} of {len(comparisons)} ratios have a median above {limit}" + "".join(f"\n  {c}" for c in above)
