"""May this page be read by a program?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest

from outrider.egress.client import Client
from outrider.egress.guard import Guard
from outrider.egress.policy import AllowList, Policy
from outrider.egress.transport import Transport
from outrider.errors import RobotsDenied, RobotsUnavailable, SsrfRejected, WebError
from outrider.fetch.robots import Robots, product_token
from outrider.url import Url
from world import trouble
from world.messages import Reply, page, redirect
from world.site import Site
from world.world import World

Ask = Callable[..., Awaitable[None]]


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def ask(world: World) -> AsyncIterator[Ask]:
    """Asks a site's rules about a path, with one memory for the whole test."""
    made: list[Robots] = []
    async with AsyncExitStack() as stack:

        async def asked(site: Site, path: str = "/page", *, clock: _Clock | None = None) -> None:
            if not made:
                guard = Guard(Policy(allow=AllowList.parse(world.allow_hosts)), world.resolver)
                transport = Transport({"http": guard, "https": guard}, world.authority.client)
                client = Client(guard, transport, user_agent="Outrider/test")
                stack.push_async_callback(client.aclose)
                made.append(Robots(client, clock=clock or _Clock()))
            await made[0].check(Url.parse(site.at(path)))

        yield asked


def _rules(text: str) -> Reply:
    return page(text, content_type="text/plain")


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("", "/page", True),
        ("User-agent: *\nDisallow: /", "/page", False),
        ("User-agent: *\nDisallow: /private", "/page", True),
        ("User-agent: *\nDisallow: /p*e$", "/page", False),
        ("User-agent: *\nDisallow: /p\nAllow: /page", "/page", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: OUTRIDER\nAllow: /", "/page", True),
        ("User-agent: outrider\nUser-agent: other\nDisallow: /", "/page", False),
        ("User-agent: other\nDisallow: /", "/page", True),
        ("User-agent: *\nDisallow: /*?q=", "/page?q=1", False),
        ("\ufeffUser-agent: *\r\nDisallow: /page # a comment\r\n", "/page", False),
        ("<html><p>Not rules", "/page", True),
        ("\0\xff\nUser-agent: *\nDisallow: /page", "/page", False),
    ],
)
async def test_rules_are_read_as_rfc_9309_says(world: World, ask: Ask, rules: str, path: str, *, allowed: bool) -> None:
    site = await world.site({"/robots.txt": _rules(rules)})

    if allowed:
        await ask(site, path)
    else:
        with pytest.raises(RobotsDenied):
            await ask(site, path)


@pytest.mark.parametrize("status", [404, 403, 401, 410, 418])
async def test_a_site_that_has_no_rules_to_give_allows_everything(world: World, ask: Ask, status: int) -> None:
    site = await world.site({"/robots.txt": page("User-agent: *\nDisallow: /", status=status)})

    await ask(site)


@pytest.mark.parametrize(
    "handler",
    [page("x", status=500), page("x", status=503), page("x", status=429), trouble.reset(), trouble.raw(b"junk\r\n\r\n"),
     redirect("/robots.txt")],
)  # fmt: skip
async def test_rules_that_cannot_be_read_now_are_no_ban_for_ever(world: World, ask: Ask, handler: Reply) -> None:
    clock = _Clock()
    site = await world.site({"/robots.txt": handler})

    with pytest.raises(RobotsUnavailable) as caught:
        await ask(site, clock=clock)
    assert caught.value.retryable
    asked = len(site.requests)
    with pytest.raises(RobotsUnavailable):
        await ask(site)
    assert asked == len(site.requests)

    site.paths["/robots.txt"] = _rules("")
    clock.now = 61
    await ask(site)


async def test_rules_are_asked_once_an_hour_for_each_origin(world: World, ask: Ask) -> None:
    clock = _Clock()
    site = await world.site({"/robots.txt": _rules("")})

    for path in ("/a", "/b", "/c"):
        await ask(site, path, clock=clock)
    assert 1 == len(site.requests)
    clock.now = 3_601
    await ask(site)

    assert 2 == len(site.requests)


async def test_rules_that_redirect_inward_are_not_followed(world: World, ask: Ask) -> None:
    trap = await world.recorder()
    site = await world.site({"/robots.txt": redirect(f"http://127.0.0.2:{trap.port}/robots.txt")})

    with pytest.raises(SsrfRejected):
        await ask(site)
    assert [] == world.connections_to("127.0.0.2")


async def test_rules_without_end_are_read_as_far_as_the_standard_asks(world: World, ask: Ask) -> None:
    site = await world.site({"/robots.txt": trouble.endless(b"User-agent: *\nDisallow: /page\n" * 2_000)})

    with pytest.raises(WebError) as caught:
        await ask(site)
    assert "robots_denied" == caught.value.code


@pytest.mark.parametrize("path", ["/" + "a" * 5_000, "/" + "ab" * 2_000])
async def test_hostile_patterns_are_answered(world: World, ask: Ask, path: str) -> None:
    pattern = "/" + "*a" * 200 + "b$"
    site = await world.site({"/robots.txt": _rules(f"User-agent: *\nDisallow: {pattern}\n" * 20)})

    try:
        await ask(site, path)
    except RobotsDenied:
        assert path.endswith("ab")


@pytest.mark.parametrize(
    ("identity", "token"),
    [
        ("Outrider/1 (+x)", "Outrider"),
        ("My-Bot_x/2", "My-Bot_x"),
        ("Mozilla/5.0", "Mozilla"),
        ("", "Outrider"),
        ("7x", "Outrider"),
    ],
)
def test_the_product_token_is_the_name_before_the_slash(identity: str, token: str) -> None:
    assert token == product_token(identity)
