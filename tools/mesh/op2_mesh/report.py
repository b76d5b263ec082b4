# SPDX-License-Identifier: BSD-3-Clause
"""What is there to say about a mesh?"""
import numpy as np

from .failure import printable
from .shapes import CELLS


def euler_number(mesh):
    """Of the domain: in 2D 1 - holes; in 3D half of that of its surface, 1 + cavities - handles."""
    if mesh.dimension == 2:
        corners = np.concatenate([mesh.inner.nodes.reshape(-1), mesh.boundary.nodes.reshape(-1)])
        return len(np.unique(corners)) - len(mesh.inner.tags) - len(mesh.boundary.tags) + len(mesh.cell_tags)
    faces = mesh.boundary.nodes.astype(np.int64)
    edges = np.concatenate([faces[:, [k, (k + 1) % faces.shape[1]]] for k in range(faces.shape[1])])
    edges = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    return (len(np.unique(faces)) - len(edges) + len(faces)) / 2


def _groups(mesh, dimension, tags, sizes):
    """[{name, tag, count, size}] by tag."""
    found, place = np.unique(tags, return_inverse=True)
    counts, totals = np.bincount(place, minlength=len(found)), np.bincount(place, sizes, len(found))
    return [{"name": mesh.name_of(dimension, tag), "tag": int(tag), "count": int(count), "size": float(total)}
            for tag, count, total in zip(found, counts, totals)]


def facts(mesh, name_of_format):
    """What a report says, for printing and for JSON."""
    areas = np.sqrt((mesh.boundary.normal ** 2).sum(axis=1))
    inner_areas = np.sqrt((mesh.inner.normal ** 2).sum(axis=1))
    inside = int((mesh.inner.tags != 0).sum())
    shapes = {part.shape.name: len(part.nodes) for part in mesh.parts}
    return {"format": name_of_format, "dimension": mesh.dimension, "nodes": len(mesh.x), "cells": len(mesh.cell_tags),
            "shapes": {name: shapes[name] for name in CELLS[mesh.dimension] if name in shapes},
            "kinds": [part.kind for part in mesh.parts],
            "faces": len(mesh.inner.tags), "boundary_faces": len(mesh.boundary.tags), "inner_faces_in_groups": inside,
            "periodic_nodes": len(mesh.paired_nodes), "periodic_faces": len(mesh.paired_faces),
            "boundary": _groups(mesh, mesh.dimension - 1, mesh.boundary.tags, areas),
            "inside": [group for group in _groups(mesh, mesh.dimension - 1, mesh.inner.tags, inner_areas) if group["tag"]],
            "regions": _groups(mesh, mesh.dimension, mesh.cell_tags, mesh.volume),
            "volume": float(mesh.volume.sum()), "smallest": float(mesh.volume.min()), "largest": float(mesh.volume.max()),
            "low": mesh.x.min(axis=0).tolist(), "high": mesh.x.max(axis=0).tolist(),
            "parts": len(mesh.faults.part_sizes), "euler_number": euler_number(mesh)}


def _group_lines(title, groups, unit):
    for group in groups:
        yield f"{title:<10}{group['name']:<20} tag {group['tag']:<6}{group['count']:>10}   {unit} {group['size']:.6g}"
        title = ""


def lines(about, found):
    """The report as lines of text that a terminal can show.

    @param about  of facts()
    @param found  of check.findings()
    """
    yield from map(printable, _lines(about, found))


def _lines(about, found):
    unit, edge = ("area", "length") if about["dimension"] == 2 else ("volume", "area")
    corner = " to ".join("(" + ", ".join(f"{value:.6g}" for value in about[end]) + ")" for end in ("low", "high"))
    yield f"{'mesh':<10}{about['dimension']}D, {about['format']}, {corner}"
    yield f"{'nodes':<10}{about['nodes']}"
    shapes = ", ".join(f"{count} {name}" for name, count in about["shapes"].items())
    yield f"{'cells':<10}{about['cells']}: {shapes}; {unit} {about['volume']:.12g}, from {about['smallest']:.3g} to {about['largest']:.3g}"
    inside = f" ({about['inner_faces_in_groups']} in groups)" if about["inner_faces_in_groups"] else ""
    yield f"{'faces':<10}{about['faces']} between two cells{inside}, {about['boundary_faces']} on the boundary"
    yield from _group_lines("boundary", about["boundary"], edge)
    yield from _group_lines("inside", about["inside"], edge)
    yield from _group_lines("region", about["regions"], unit)
    if about["periodic_nodes"] or about["periodic_faces"]:
        yield f"{'periodic':<10}{about['periodic_nodes']} pairs of nodes, {about['periodic_faces']} of boundary faces"
    yield f"{'shape':<10}{about['parts']} connected, Euler number {about['euler_number']:g}"
    for finding in found:
        yield f"{finding.level}: {finding.text}"
