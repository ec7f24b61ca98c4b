"""Files that are replaced whole or not at all: after a crash or a full disk the old file is still there, unharmed."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

# what open() asks for; the system takes the umask off
ORDINARY_MODE = 0o666


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of ``path`` when the block ends well; else it is removed again.

    A link is written through to its target. A file that exists keeps its mode, a new one gets an ordinary file's.
    """
    target = Path(os.path.realpath(path))
    kept_mode = _mode_to_keep(target)
    temporary = target.with_name(f".commensurate-{secrets.token_hex(8)}.part")
    # never more readable than the file it replaces, not even before the chmod below
    opener = partial(os.open, mode=ORDINARY_MODE if kept_mode is None else kept_mode)
    try:
        with open(temporary, "xb", opener=opener) as file:
            if kept_mode is not None:
                os.chmod(temporary, kept_mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(target.parent)


@contextmanager
def new_or_replaced(path: str | os.PathLike[str], *, replace: bool) -> Iterator[Path]:
    """Yield a path for a program that makes files of its own; what is there when the block ends well becomes ``path``.

    Without ``replace``, a file that has come into being meanwhile is left as it is, and `FileExistsError` raised.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".commensurate-{secrets.token_hex(8)}.part")
    try:
        yield temporary
        if replace:
            os.replace(temporary, target)
        else:
            _put_beside_others(temporary, target)
    finally:
        for left_over in target.parent.glob(f"{temporary.name}*"):
            left_over.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _put_beside_others(temporary: Path, target: Path) -> None:
    """Give a file its name, unless there is one of that name."""
    try:
        # unlike a rename, a link never takes the place of a file
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:
        # some file systems have no links
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        os.rename(temporary, target)


def _mode_to_keep(target: Path) -> int | None:
    """Return the mode of the file that will be replaced, None if there is none yet."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        # a rename would put the new file in the place of a device such as /dev/null
        raise OSError(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, "it is a folder or device, not a file")
    return stat.S_IMODE(mode)


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, where the system lets a folder be synced."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
