"""What the doctor finds, in worlds where something is missing."""

from __future__ import annotations

from outrider import Call
from outrider.web.diagnosis import Check, checks
from world.messages import redirect
from world.world import World


async def found(world: World, probe: str, **overrides: object) -> dict[str, Check]:
    async with world.web(**overrides) as web:
        return {check.name: check for check in await checks(web, Call(), probe=probe)}


async def test_a_page_over_tls_shows_that_everything_works(world: World) -> None:
    site = await world.site({"/": "<p>Here</p>"}, name="site.test", tls=True)

    looked = await found(world, site.url)

    assert ["ok", "ok", "ok"] == [looked[name].state for name in ("names", "network", "identity")]


async def test_a_name_that_is_not_resolved_looks_like_being_offline(world: World) -> None:
    looked = await found(world, "http://nobody.test/")

    assert ("failed", "skipped") == (looked["names"].state, looked["network"].state)
    assert "offline" in looked["names"].todo


async def test_a_certificate_of_an_unknown_authority_leads_to_the_setting_for_it(world: World) -> None:
    site = await world.site({"/": "<p>Here</p>"}, name="site.test", tls=True, certificate_names=["other.test"])

    looked = await found(world, site.url)

    assert ("ok", "failed") == (looked["names"].state, looked["identity"].state)
    assert "egress.ca_file" in looked["identity"].todo


async def test_stand_in_addresses_of_a_tunnel_lead_to_the_setting_for_them(world: World) -> None:
    world.names["site.test"] = ["198.18.0.7"]

    looked = await found(world, "http://site.test/")

    assert "failed" == looked["names"].state
    assert "egress.fake_ip_ranges" in looked["names"].todo


async def test_a_server_that_refuses_its_page_is_a_network_that_works(world: World) -> None:
    site = await world.site({"/": redirect("ftp://elsewhere.test/")})

    assert "ok" == (await found(world, site.url))["network"].state


async def test_an_authority_file_that_cannot_be_read_is_said(world: World) -> None:
    looked = await found(world, "http://nobody.test/", ca_file="/nowhere/company.pem")

    assert "failed" == looked["certificates"].state
    assert "egress.ca_file" in looked["certificates"].todo


async def test_a_proxy_that_does_not_connect_is_named(world: World) -> None:
    site = await world.site({"/": "<p>Here</p>"})

    looked = await found(world, site.url, proxy_url="http://127.0.0.1:1", allow_hosts=[site.authority, "127.0.0.1:1"])

    assert "failed" == looked["network"].state
    assert "egress.proxy_url" in looked["network"].todo
