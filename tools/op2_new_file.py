# SPDX-License-Identifier: BSD-3-Clause
"""How do the tools in Python write files?

As src/comm/files/open_file.hpp does, with the same names: into a temporary file in the same folder, which gets the name of the file
when it is on the disk. What writers that were killed have left behind is removed by the next one.
"""
import contextlib
import errno
import fcntl
import os
import re
import socket
import stat

WITHOUT_SYNCHRONISATION = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)  # file systems that need none


def write(path, content):
    """Writes bytes; if that fails, an older file of this name is as it was.

    @raises OSError
    """
    target = os.path.realpath(path)
    replaced = _replaced(target)
    folder = os.path.dirname(target)
    _remove_leftovers(folder, os.path.basename(target) + ".")
    temporary, descriptor = _create(target, 0o666 if replaced is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:  # keeps its lock until it has the name
            file.write(content)
            file.flush()
            if replaced is not None:
                with contextlib.suppress(OSError):
                    os.fchown(descriptor, replaced.st_uid, replaced.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(replaced.st_mode) & 0o777)
            os.fsync(descriptor)
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _synchronise(folder)


def _replaced(target):
    """What is at the target; None if there is nothing."""
    try:
        there = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(there.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, "it is write-protected")
    return there


def _start_of(number):
    """When a process began, in clock ticks since the system was started; 0 if that is not known."""
    try:
        with open(f"/proc/{number}/stat", encoding="latin-1") as file:
            return int(file.read().rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def _create(target, mode):
    """The name and the descriptor of a new file, which is locked: so others see that it is being written."""
    for attempt in range(100):
        temporary = f"{target}.{socket.gethostname()}.{os.getpid()}-{_start_of(os.getpid())}-{attempt}.tmp"
        try:
            descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
            break
        except FileExistsError:
            if attempt == 99:
                raise
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        with contextlib.suppress(OSError):
            os.rename(temporary, temporary + ".unlocked")
            temporary += ".unlocked"
    return temporary, descriptor


def _remove_leftovers(folder, prefix):
    """Removes temporary files of this user and host whose process is gone and that nobody has locked."""
    form = re.compile(re.escape(prefix + socket.gethostname()) + r"\.([1-9]\d{0,8})-(\d{1,18})-\d{1,9}\.tmp")
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            writer = form.fullmatch(name)
            if writer and _is_gone(int(writer[1]), int(writer[2])):
                with contextlib.suppress(OSError):
                    _remove_unlocked(os.path.join(folder, name))


def _is_gone(number, start):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass  # of another user
    now = _start_of(number)
    return now != 0 and start not in (0, now)


def _remove_unlocked(path):
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        there = os.fstat(descriptor)
        if stat.S_ISREG(there.st_mode) and there.st_uid == os.geteuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(path)
    finally:
        os.close(descriptor)


def _synchronise(folder):
    """Makes the new name durable."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in WITHOUT_SYNCHRONISATION:
            raise
    finally:
        os.close(descriptor)
