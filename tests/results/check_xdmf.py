#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program that writes a series as XDMF beside HDF5, and one cell of each shape as this and as .pvd, and reads all back
with h5py: check_xdmf.py command ..."""
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import expected_series as expected
import h5py
import numpy
import shapes_in_files

KINDS = {"Float": "f", "Int": "i", "UInt": "u", "UChar": "u"}


def values_of(item, folder):
    """The dataset that a DataItem names, after comparing its description with what is there."""
    name, dataset = item.text.split(":/")
    with h5py.File(folder / name, "r") as file:
        values = file[dataset][...]
    assert item.get("Format") == "HDF"
    assert values.dtype == numpy.dtype(KINDS[item.get("NumberType")] + item.get("Precision")), values.dtype
    dimensions = [int(number) for number in item.get("Dimensions").split()]
    assert numpy.prod(dimensions) == values.size and dimensions[0] == len(values), (dimensions, values.shape)
    return values


def check_grid(grid, number, folder):
    assert float(grid.find("Time").get("Value")) == expected.TIMES[number]
    topology, geometry = grid.find("Topology"), grid.find("Geometry")
    assert topology.get("TopologyType") == "Polyline" and topology.get("NodesPerElement") == "2"
    assert int(topology.get("NumberOfElements")) == expected.LINES
    assert (values_of(topology.find("DataItem"), folder) == expected.lines()).all()
    assert geometry.get("GeometryType") == "XY"
    assert (values_of(geometry.find("DataItem"), folder) == expected.points()).all()
    found = {attribute.get("Name"): attribute for attribute in grid.findall("Attribute")}
    wanted = expected.fields(number)
    assert found.keys() == wanted.keys(), found.keys()
    for name, (on_cells, kind, rows) in wanted.items():
        values = values_of(found[name].find("DataItem"), folder)
        assert found[name].get("Center") == ("Cell" if on_cells else "Node"), name
        assert values.dtype == numpy.dtype(kind), name
        assert (values.reshape(rows.shape) == rows.astype(kind)).all(), name


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([*sys.argv[1:], name], check=True, timeout=100)
        collection = ElementTree.parse(folder / "flow.xdmf").getroot().find("Domain/Grid")
        assert collection.get("CollectionType") == "Temporal"
        grids = collection.findall("Grid")
        assert len(grids) == len(expected.TIMES)
        for number, grid in enumerate(grids):
            check_grid(grid, number, folder)
        assert sorted(file.name for file in folder.glob("flow*.h5")) == [f"flow_{k:04}.h5" for k in range(4)]
        shapes_in_files.check(folder)
    print(f"checked {len(grids)} times of a series in XDMF")


if __name__ == "__main__":
    main()
