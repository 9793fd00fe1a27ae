"""Runs a command that dies with its parent: `python launcher.py PARENT_PID COMMAND...`.

On Linux the kernel does it: the request to be killed survives `exec`, so this process becomes the command.
It holds for the *thread* that started it, which is why a thread of its own stands behind the embedded store.
Elsewhere this process stays, and ends the command when the parent has gone.

A script, not a module of the package: it starts in the time of a bare interpreter and imports nothing of ours.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from types import FrameType

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def become(parent: int, command: list[str]) -> None:
    """Turn into the command, to be killed by the kernel when the parent's thread ends.

    SIGKILL and not SIGTERM: a stopped server would sleep through the latter and be left over.
    """
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() == parent:  # else it died before the request was made
        os.execv(command[0], command)


def guard(parent: int, command: list[str]) -> int:
    """Run the command beside this process, for systems without such a request; its exit code."""
    server = subprocess.Popen(command, close_fds=False)

    def pass_on(number: int, _frame: FrameType | None) -> None:
        server.send_signal(number)

    signal.signal(signal.SIGTERM, pass_on)
    while server.poll() is None:
        if os.getppid() != parent:
            server.kill()
        time.sleep(0.1)
    return server.returncode


if __name__ == "__main__":
    if sys.platform == "linux":
        become(int(sys.argv[1]), sys.argv[2:])
    else:
        sys.exit(guard(int(sys.argv[1]), sys.argv[2:]))
