# SPDX-License-Identifier: BSD-3-Clause
"""Which commands are there, and what do they end with?

Exit codes: 0, 1 (the mesh has errors), 2 (wrong options, a file that cannot be read or written).
"""
import argparse
import json
import os
import sys

from op2_version import version

from . import guard
from .failure import MeshError, missing, printable

DESCRIPTION = """Meshes of Gmsh, VTU, Exodus, CGNS, Abaqus, SU2 and other formats that meshio reads, for OP2 programs: checks,
draws, and writes the HDF5 file that op_decl_set_hdf5, op_decl_map_hdf5 and op_decl_dat_hdf5 read."""
EXAMPLE = """example:
  op2-mesh check cylinder.msh
  op2-mesh draw cylinder.msh cylinder.png
  op2-mesh convert cylinder.msh cylinder.h5
  op2-mesh convert --maps cell_faces,cell_cells cylinder.msh cylinder.h5
  op2-mesh declare cylinder.h5            # C++ that reads it"""


MAPS = ("cell_faces", "cell_cells", "periodic")


def _maps(text):
    names = [name.strip() for name in text.split(",") if name.strip()]
    wrong = [name for name in names if name not in MAPS]
    if wrong or not names:
        raise argparse.ArgumentTypeError(f"'{''.join(wrong[:1])}' is not one of {', '.join(MAPS)}")
    return names


def _parser():
    parser = argparse.ArgumentParser(prog="op2-mesh", description=DESCRIPTION, epilog=EXAMPLE,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"op2-mesh {version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    reads = argparse.ArgumentParser(add_help=False)
    reads.add_argument("mesh", help="file of the mesh")
    reads.add_argument("--merge", type=float, metavar="DISTANCE",
                       help="make nodes one that are not farther from each other")
    reads.add_argument("--groups", metavar="NAME", help="cell data that number the groups (formats without groups)")
    reads.add_argument("--memory", type=float, metavar="GIB",
                       help="most memory, in GiB of address space (default: 1 + 40 times the size of the file)")
    check = commands.add_parser("check", parents=[reads], help="report what the mesh has and what is wrong with it")
    check.add_argument("--json", action="store_true", help="print the report as JSON")
    draw = commands.add_parser("draw", parents=[reads], help="draw cells (2D) or boundary (3D), groups in colours")
    draw.add_argument("picture", help="file to write: .png, .pdf or .svg")
    convert = commands.add_parser("convert", parents=[reads], help="write sets, maps and dats to an HDF5 file")
    convert.add_argument("output", help="file to write")
    convert.add_argument("--maps", type=_maps, default=(), metavar="NAME[,NAME...]",
                         help="write these, too: " + ", ".join(MAPS) + "; the page on meshes says what stands where a cell has "
                         "no neighbour")
    convert.add_argument("--force", action="store_true", help="write although the mesh has errors")
    convert.add_argument("--quiet", action="store_true", help="print errors and warnings only")
    declare = commands.add_parser("declare", help="print the C++ declarations for a file that convert has written")
    declare.add_argument("mesh", help="file to read")
    declare.set_defaults(memory=None)
    return parser


def _print(text, stream=None):
    """Prints, unless nobody reads it any more, as behind `| head`: that is not an error of the work that is done."""
    stream = stream or sys.stdout
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _complain(text):
    _print(f"op2-mesh: {printable(text)}", sys.stderr)


def _built(options):
    from . import build, check, read
    source, name = read.read(options.mesh, options.groups)
    mesh = build.build(source, options.merge)
    return mesh, name, check.findings(mesh)


def _check(options):
    from . import check, report
    mesh, name, found = _built(options)
    about = report.facts(mesh, name)
    if options.json:
        about["findings"] = [vars(finding) for finding in found]
        _print(json.dumps(about, indent=1).replace("\x7f", "\\u007f"))
    else:
        _print("\n".join(report.lines(about, found)))
    return 1 if check.has_errors(found) else 0


def _draw(options):
    from . import check, draw
    mesh, _, found = _built(options)
    draw.draw(mesh, options.picture)
    _print(printable(f"wrote {options.picture}"))
    return 1 if check.has_errors(found) else 0


def _convert(options):
    from . import check, report, write
    mesh, name, found = _built(options)
    writes = options.force or not check.has_errors(found)
    if writes:
        write.write(mesh, options.output, options.maps)
    if options.quiet:
        for finding in found:
            if finding.level != check.NOTE:
                _print(printable(f"{finding.level}: {finding.text}"), sys.stderr)
    else:
        _print("\n".join(report.lines(report.facts(mesh, name), found)))
    if not writes:
        _complain(f"{options.mesh}: the mesh has errors and nothing was written: {options.output}; repair it, "
                  "or write it all the same with --force")
        return 1
    if not options.quiet:
        _print(printable(f"wrote {options.output}"))
    return 0


def _declare(options):
    from . import declare
    _print("\n".join(declare.lines(options.mesh)))
    return 0


def _work(options):
    """Runs a command; the message of a MeshError names the file."""
    try:
        return {"check": _check, "draw": _draw, "convert": _convert, "declare": _declare}[options.command](options)
    except MeshError as error:
        _complain(f"{options.mesh}: {error}")
        return 2
    except ModuleNotFoundError as error:
        _complain(missing(error.name))
        return 2


def _check_options(parser, options):
    if getattr(options, "merge", None) is not None and not options.merge >= 0:
        parser.error(f"--merge {options.merge}: give a distance of 0 or more")
    if options.memory is not None and not 0.25 <= options.memory <= 1e6:
        parser.error(f"--memory {options.memory}: give 0.25 to 1000000 GiB")


def main(arguments=None):
    parser = _parser()
    options = parser.parse_args(arguments)
    _check_options(parser, options)
    return guard.run(lambda: _work(options), guard.memory_limit(options.mesh, options.memory),
                     f"{options.command} '{options.mesh}'")
