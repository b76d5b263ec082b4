# SPDX-License-Identifier: BSD-3-Clause
"""What if a damaged file makes a reader crash or ask for all memory? The work is done in a child with a limit."""
import contextlib
import os
import re
import resource
import signal
import sys
import traceback

from op2_progress import shown

from .failure import printable

GIB = 1 << 30
MOST_TEXT = 1 << 24  # bytes of XDMF in which names are looked for


def files_of(path):
    """The file, and those that have its data: what XDMF and Abaqus name, and the nodes beside the elements of TetGen."""
    stem, ending = os.path.splitext(path)
    found = {os.path.realpath(path)}
    if ending.lower() in (".xdmf", ".xmf"):
        with open(path, "rb") as file:
            texts = re.findall(rb">([^<>]{1,2000})<", file.read(MOST_TEXT))
        names = {os.fsdecode(text.partition(b":")[0].strip()) for text in texts if b"\0" not in text}
        found |= {os.path.realpath(os.path.join(os.path.dirname(path), name)) for name in names}
    if ending.lower() == ".inp":
        with open(path, "rb") as file:
            names = re.findall(rb"INPUT[ \t]*=[ \t]*\"?([^\s,\"\0]+)", file.read(), re.I)
        found |= {os.path.realpath(os.path.join(os.path.dirname(path), os.fsdecode(name))) for name in names}
    found |= {os.path.realpath(stem + other) for other in (".node", ".ele") if ending in (".node", ".ele")}
    return [file for file in found if os.path.exists(file)]


def memory_limit(path, gib=None):
    """Bytes of address space: as told, or by the size of the mesh's files, of which text and compressed data grow most."""
    if gib is not None:
        return int(gib * GIB)
    size = 0
    with contextlib.suppress(OSError, ValueError):
        size = sum(map(os.path.getsize, filter(os.path.isfile, files_of(path)))) if os.path.isfile(path) else 0
    return GIB + 40 * size


def run(work, limit, what):
    """The exit code of `work()`, called in a child process that may have `limit` bytes of address space; `what` it does."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread would reserve address space
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = limit if most == resource.RLIM_INFINITY else min(limit, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        os._exit(_code_in_child(work, limit))
    with shown("op2-mesh", printable(what)):
        return _code_of(child)


def _code_in_child(work, limit):
    """The exit code of `work()`, or of what goes wrong in it and when its output is flushed."""
    code = 2
    try:
        code = work()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except MemoryError:
        print(f"op2-mesh: there is not enough memory: {limit / GIB:.1f} GiB; raise the limit with --memory", file=sys.stderr)
    except OSError as error:
        code = 2
        if error.filename is None:  # of files all are told by those who open them
            print(f"op2-mesh: the output cannot be written: standard output, {error.strerror}; check the space",
                  file=sys.stderr)
        else:
            traceback.print_exc()
    except BaseException:  # a mistake of this program
        traceback.print_exc()
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    return code


def _code_of(child):
    while True:
        try:
            _, status = os.waitpid(child, 0)
            break
        except KeyboardInterrupt:  # the child has it, too
            continue
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        print(f"op2-mesh: the reader of this format has crashed: {name}; the file is damaged, or of a variant that "
              "it does not know: write it as Gmsh's .msh", file=sys.stderr)
        return 2
    return os.WEXITSTATUS(status)
