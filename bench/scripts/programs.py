# SPDX-License-Identifier: BSD-3-Clause
"""Where and in which environment the benchmarks start programs of a build folder."""

import os
from pathlib import Path

OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}  # fmt: skip

# Of the modelled machine, from which tiles follow: as hwloc reads them, and in words.
CACHES = "l3:1(size=32MB) l2:16(size=1MB) core:1 pu:1"
CACHES_IN_WORDS = "1 MB for each core, 32 MB that all ranks of a point share"


def environment(build, cache):
    """The environment of this process without its OP2_ variables; compiled kernels go to `cache`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OP2_")}
    return {**kept, **OPEN_MPI, "OP2_CACHE_DIR": str(cache), "OP2_PLUGIN_DIR": str(build / "lib")}


def cpu_name():
    """As Linux calls it."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
