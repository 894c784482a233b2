"""Worker threads of the store's own, so that no other blocking work can hold them up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

T = TypeVar("T")


def started_pool(threads: int, name: str) -> ThreadPoolExecutor:
    """A pool whose threads all run from the start: how many there are does not depend on what happens later."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
    together = threading.Barrier(threads)
    wait([pool.submit(together.wait) for _ in range(threads)])
    return pool


async def in_own_thread(work: Callable[..., T], *arguments: Any) -> T:
    """Do something that blocks and happens once, in a thread that ends with it."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work(*arguments))
        except BaseException as error:  # noqa: BLE001  (handed to whoever waits)
            done.set_exception(error)

    # Running, so that who leaves does not cancel what the thread then cannot finish.
    done.set_running_or_notify_cancel()
    threading.Thread(target=run, name="outrider-once", daemon=True).start()
    return await asyncio.wrap_future(done)
