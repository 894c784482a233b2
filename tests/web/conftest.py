"""A whole `Web` over the world."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from outrider import Web
from outrider.web.assembly import Wiring
from world.world import World

OpenWeb = Callable[..., Awaitable[Web]]


@pytest.fixture
async def open_web(world: World) -> AsyncIterator[OpenWeb]:
    """Opens a `Web` that may reach every site that the world has by then; settings as for `Web`."""
    async with AsyncExitStack() as stack:

        async def opened(**settings: Any) -> Web:
            settings.setdefault("allow_hosts", world.allow_hosts)
            settings.setdefault("retries", 0)
            wiring = Wiring(resolver=world.resolver, tls=world.authority.client)
            return await stack.enter_async_context(Web(wiring=wiring, **settings))

        yield opened
