"""A guarded client over the world, as small as the tests of egress need it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from outrider.egress.client import Client
from outrider.egress.guard import Dialer, Guard
from outrider.egress.message import Limits
from outrider.egress.pace import Pace
from outrider.egress.policy import AllowList, Policy
from outrider.egress.resolve import Resolver
from outrider.egress.transport import Transport
from world.world import World

MakeClient = Callable[..., Client]
QUICK = Limits(connect_s=4, first_byte_s=4, stall_s=4, total_s=5, retries=0)


def build(
    world: World,
    *,
    allow: Sequence[str] | None = None,
    http2: bool = True,
    pace: Pace | None = None,
    dialer: Callable[[Guard], Dialer] | None = None,
    resolver: Resolver | None = None,
    allow_downgrade: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Client:
    """A client that may reach every site of the world, or just what `allow` names."""
    policy = Policy(allow=AllowList.parse(world.allow_hosts if allow is None else allow))
    guard = Guard(policy, resolver or world.resolver)
    chosen: Dialer = guard if dialer is None else dialer(guard)
    return Client(
        guard,
        Transport({"http": chosen, "https": chosen}, world.authority.client, http2=http2, clock=clock),
        user_agent="Outrider/test",
        pace=pace,
        allow_downgrade=allow_downgrade,
    )


@pytest.fixture
async def make_client(world: World) -> AsyncIterator[MakeClient]:
    """Builds clients, see `build`, and closes them at the end."""
    made: list[Client] = []

    def make(**options: object) -> Client:
        made.append(build(world, **options))  # type: ignore[arg-type]  # passed through
        return made[-1]

    yield make
    for client in made:
        await client.aclose()


@pytest.fixture
def quick() -> Limits:
    """Limits that end a test within its patience."""
    return QUICK
