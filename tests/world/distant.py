"""A world in a thread of its own, for tests of synchronous code and of child processes."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from world.world import World

T = TypeVar("T")


class DistantWorld:
    """Holds a world that lives in another thread, and builds in it."""

    def __init__(self, world: World, run: Callable[..., Any]) -> None:
        self.world = world
        self._run = run

    def build(self, make: Callable[[World], Coroutine[Any, Any, T]]) -> T:
        """Run `make(world)` in the world's thread, such as `lambda world: world.site({...})`."""
        built: T = self._run(make, self.world)
        return built
