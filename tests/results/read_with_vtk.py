#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the series in a folder with what was written, as VTK reads them: read_with_vtk.py folder"""
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import expected_series as expected
import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy


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


def grids_of_pvd(path):
    """VTK itself has no reader of .pvd, which is ParaView's: it is one element for each time."""
    for entry in ElementTree.parse(path).getroot().findall("Collection/DataSet"):
        file = str(path.parent / entry.get("file"))
        reader = vtk.vtkXMLPUnstructuredGridReader() if file.endswith(".pvtu") else vtk.vtkXMLUnstructuredGridReader()
        reader.SetFileName(file)
        reader.Update()
        assert reader.GetErrorCode() == 0
        yield float(entry.get("timestep")), reader.GetOutput()


def grids_of_xdmf(path):
    reader = vtk.vtkXdmfReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    times = reader.GetExecutive().GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    for time in times or [0.0]:
        reader.UpdateTimeStep(time)
        yield time, reader.GetOutputDataObject(0)


def check_series(grids, padded):
    times = []
    for number, (time, grid) in enumerate(grids):
        times.append(time)
        check_grid(grid, number, padded)
    assert times == expected.TIMES, times


def check_shape(name, grid):
    """The type of the only cell and its length, area or volume."""
    kind, _, size = expected.SHAPES[name]
    assert grid.GetNumberOfCells() == 1, (name, grid.GetNumberOfCells())
    allowed = (vtk.VTK_LINE, vtk.VTK_POLY_LINE) if kind == vtk.VTK_LINE else (kind,)
    assert grid.GetCellType(0) in allowed, (name, grid.GetCellType(0))
    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    arrays = sizes.GetOutput().GetCellData()
    found = sum(arrays.GetArray(measure).GetValue(0) for measure in ("Length", "Area", "Volume"))
    assert abs(found - size) < 1e-12, (name, found)


def main():
    folder = Path(sys.argv[1])
    check_series(grids_of_pvd(folder / "flow.pvd"), padded=False)
    check_series(grids_of_xdmf(folder / "flow.xdmf"), padded=True)
    for name in expected.SHAPES:
        for grids in (grids_of_pvd(folder / f"{name}.pvd"), grids_of_xdmf(folder / f"{name}.xdmf")):
            (_, grid), = grids
            check_shape(name, grid)
    print(f"VTK {vtk.vtkVersion().GetVTKVersion()} reads what was written")


if __name__ == "__main__":
    main()
