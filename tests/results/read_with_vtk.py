#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the series in a folder with what was written, as VTK reads them: read_with_vtk.py folder"""
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

import expected_series as expected


def order_of(grid):
    """Positions of the points and of the cells, as declared, in a grid of pieces: by what is in them."""
    points = vtk_to_numpy(grid.GetPoints().GetData())
    numbers = numpy.rint(2 * points[:, 0]).astype(int)
    ends = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 2)
    return numbers, numbers[ends].min(axis=1), numbers[ends]


def check_grid(grid, number, padded):
    """@param padded  vectors in the plane have a third component"""
    at_points, at_cells, ends = order_of(grid)
    assert grid.GetNumberOfCells() == expected.LINES, grid.GetNumberOfCells()
    assert set(at_points) == set(range(expected.POINTS))
    assert (numpy.sort(at_cells) == numpy.arange(expected.LINES)).all()
    assert (ends == expected.lines()[at_cells]).all()
    assert all(grid.GetCellType(cell) in (vtk.VTK_LINE, vtk.VTK_POLY_LINE) for cell in range(grid.GetNumberOfCells()))
    coordinates = vtk_to_numpy(grid.GetPoints().GetData())
    assert (coordinates[:, :2] == expected.points()[at_points]).all() and not coordinates[:, 2].any()
    wanted = expected.fields(number)
    for data, on_cells, places in ((grid.GetCellData(), True, at_cells), (grid.GetPointData(), False, at_points)):
        found = {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays())}
        assert found.keys() == {name for name, field in wanted.items() if field[0] == on_cells}, found.keys()
        for name, values in found.items():
            rows = wanted[name][2]
            if padded and rows.shape[1] == 2:
                rows = numpy.column_stack([rows, numpy.zeros(len(rows))])
            assert (values.reshape(len(values), -1) == rows[places]).all(), (name, number)


def check_pvd(path):
    """VTK itself has no reader of .pvd, which is ParaView's: it is one element for each time."""
    entries = ElementTree.parse(path).getroot().findall("Collection/DataSet")
    assert [float(entry.get("timestep")) for entry in entries] == expected.TIMES
    for number, entry in enumerate(entries):
        reader = vtk.vtkXMLPUnstructuredGridReader()
        reader.SetFileName(str(path.parent / entry.get("file")))
        reader.Update()
        assert reader.GetErrorCode() == 0
        check_grid(reader.GetOutput(), number, padded=False)


def check_xdmf(path):
    reader = vtk.vtkXdmfReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    times = reader.GetExecutive().GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    assert list(times) == expected.TIMES, times
    for number, time in enumerate(times):
        reader.UpdateTimeStep(time)
        check_grid(reader.GetOutputDataObject(0), number, padded=True)


def main():
    folder = Path(sys.argv[1])
    check_pvd(folder / "flow.pvd")
    if (folder / "flow.xdmf").exists():
        check_xdmf(folder / "flow.xdmf")
    print(f"VTK {vtk.vtkVersion().GetVTKVersion()} reads what was written")


if __name__ == "__main__":
    main()
