"""Workers end with the process that started them.

A worker of joblib that waits for its next task may wait for ever when the process that gives the
tasks was killed: its brothers hold the other end of the pipe open, too.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from functools import cache
from typing import Final

#: What joblib calls the processes that it starts on this computer.
_NAME: Final = "Loky"
_SECONDS: Final = 1.0


@cache
def end_with_parent() -> None:
    """In a worker of joblib, have it end soon after its parent; elsewhere nothing happens."""
    if multiprocessing.current_process().name.startswith(_NAME) and hasattr(os, "getppid"):
        threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(1)
