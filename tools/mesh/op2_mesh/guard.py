# SPDX-License-Identifier: BSD-3-Clause
"""What if a damaged file makes a reader crash or ask for all memory? The work is done in a child with a limit."""
import os
import resource
import signal
import sys
import traceback

from op2_progress import shown

GIB = 1 << 30


def memory_limit(path, gib=None):
    """Bytes of address space: as told, or by the size of the file, of which text and compressed data grow most."""
    if gib is not None:
        return int(gib * GIB)
    try:
        return GIB + 40 * os.path.getsize(path)
    except OSError:
        return GIB


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
        code = 2
        try:
            code = work()
            sys.stdout.flush()
        except KeyboardInterrupt:
            code = 130
        except MemoryError:
            print(f"op2-mesh: there is not enough memory: {limit / GIB:.1f} GiB; raise the limit with --memory", file=sys.stderr)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        except BaseException:  # a mistake of this program
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    with shown("op2-mesh", what):
        return _code_of(child)


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
