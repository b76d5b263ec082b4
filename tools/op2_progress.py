# SPDX-License-Identifier: BSD-3-Clause
"""What the tools in Python say of work that takes long, as src/core/log.hpp does: on a terminal, every two seconds."""
import contextlib
import sys
import threading
import time

PATIENCE = 2  # seconds


@contextlib.contextmanager
def shown(tool, what):
    """The work inside."""
    ended = threading.Event()
    if sys.stderr.isatty():
        threading.Thread(target=_show, args=(f"{tool}: {what}", ended), daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _show(what, ended):
    begin = time.monotonic()
    while not ended.wait(PATIENCE):
        print(f"{what}, {time.monotonic() - begin:.0f} s so far", file=sys.stderr)
