# SPDX-License-Identifier: BSD-3-Clause
"""What does a mesh look like? Cells and boundary groups in 2D, the boundary in 3D."""
import io
import os

import numpy as np
import op2_new_file

from .failure import MeshError, needed

MOST_LINES = 300_000     # more edges than that are a grey area
MOST_FACES = 100_000     # in 3D; of more, every second, third, ... is drawn
REGIONS = ("#f2f2f2", "#dce9f5", "#f7e6cf", "#e0f0dc", "#efdcec")


def _groups(mesh):
    """(name, faces) of each group of the boundary."""
    for tag in np.unique(mesh.boundary.tags):
        yield mesh.name_of(mesh.dimension - 1, tag), np.flatnonzero(mesh.boundary.tags == tag)


def _plane(plt, collections, mesh):
    figure, axes = plt.subplots(figsize=(9, 7))
    regions = np.unique(mesh.cell_tags)
    if len(mesh.inner.nodes) <= MOST_LINES:
        for part in mesh.parts:
            tags = mesh.cell_tags[part.first:part.first + len(part.nodes)]
            colours = [REGIONS[index % len(REGIONS)] for index in np.searchsorted(regions, tags)]
            axes.add_collection(collections.PolyCollection(mesh.x[part.nodes], facecolors=colours, edgecolors="none"))
        axes.add_collection(collections.LineCollection(mesh.x[mesh.inner.nodes], colors="0.55", linewidths=0.3))
    for index, (name, faces) in enumerate(_groups(mesh)):
        axes.add_collection(collections.LineCollection(
            mesh.x[mesh.boundary.nodes[faces]], colors=f"C{index}", linewidths=1.6, label=f"{name} ({len(faces)})"))
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.autoscale()
    axes.set_aspect("equal")
    return figure, axes


def _space(plt, mplot3d, mesh):
    figure = plt.figure(figsize=(9, 7))
    axes = figure.add_subplot(projection="3d")
    every = -(-len(mesh.boundary.nodes) // MOST_FACES)
    for index, (name, faces) in enumerate(_groups(mesh)):
        drawn = mesh.x[mesh.boundary.nodes[faces[::every]]]
        axes.add_collection3d(mplot3d.art3d.Poly3DCollection(drawn, facecolors=f"C{index}", edgecolors="0.25",
                                                             linewidths=0.2, alpha=0.55))
        axes.plot([], [], color=f"C{index}", linewidth=6, label=f"{name} ({len(faces)})")
    low, high = mesh.x.min(axis=0), mesh.x.max(axis=0)
    for set_limits, begin, end in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), low, high):
        set_limits(begin, end)
    axes.set_box_aspect(np.maximum(high - low, 1e-3 * (high - low).max()))
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.set_zlabel("z")
    return figure, axes


def draw(mesh, path):
    """Writes a picture; the ending of the path says which kind (png, pdf, svg)."""
    matplotlib = needed("matplotlib", "draws")
    matplotlib.use("Agg")
    import matplotlib.collections as collections
    import matplotlib.pyplot as plt
    if mesh.dimension == 2:
        figure, axes = _plane(plt, collections, mesh)
    else:
        from mpl_toolkits import mplot3d
        figure, axes = _space(plt, mplot3d, mesh)
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False)
    axes.set_title(f"{len(mesh.cell_tags)} cells, {len(mesh.x)} nodes", fontsize=10)
    picture = io.BytesIO()
    try:
        figure.savefig(picture, format=os.path.splitext(path)[1][1:], dpi=120, bbox_inches="tight")
        op2_new_file.write(path, picture.getvalue())
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise MeshError(f"the picture cannot be written: {path}, {why}; check folder, ending and space") from None
    plt.close(figure)
