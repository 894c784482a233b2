"""What works on this machine, and what to do about the rest."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from outrider.config import FILE_NAME, Config, environment_name, settings, user_file
from outrider.errors import (
    ConnectionFailed,
    ConnectionTimeout,
    DnsFailed,
    InvalidArgument,
    InvalidUrl,
    ProxyFailed,
    ReadTimeout,
    SsrfRejected,
    TlsFailed,
    TotalTimeout,
    WebError,
)
from outrider.web.assembly import package_version
from outrider.web.operations.fetch import Fetched

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.web import Web

PROBE = "https://example.com/"
"""Kept by IANA for examples (RFC 2606): no vendor learns that somebody looks."""

_PROXY_VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
_TRUST_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_BROWSERS = ("chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome")
_UNREACHABLE = (ConnectionFailed, ConnectionTimeout, ReadTimeout, TotalTimeout)

State = Literal["ok", "note", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: State
    says: str
    todo: str = ""
    """What a person can do; empty when there is nothing to do."""
    error: WebError | None = None

    def entry(self) -> dict[str, Any]:
        """The same as JSON values."""
        error = {"error": self.error.as_dict()} if self.error is not None else {}
        return {"name": self.name, "state": self.state, "says": self.says, "todo": self.todo, **error}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingView:
    """One setting as it may be shown: secrets are left out."""

    name: str
    value: Any
    layer: str
    """`default`, a file's path, `environment` or `argument`."""
    about: str
    variable: str

    def entry(self) -> dict[str, Any]:
        """The same as JSON values."""
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return {
            "name": self.name, "value": value, "layer": self.layer, "about": self.about, "variable": self.variable,
        }  # fmt: skip


async def checks(web: Web, call: Call, *, probe: str | None = PROBE) -> list[Check]:
    """
    Look at everything that reading a page depends on.

    Args:
        probe: The page that is read to see whether the network works; None leaves the network alone.

    Raises:
        InvalidArgument, InvalidUrl: The probe is not a URL.
    """
    network = await _network(web, call, probe) if probe is not None else [_untouched()]
    return [
        _program(),
        *network,
        _certificates(web.config),
        _proxies(web.config),
        _private_services(web.config),
        _browser(web.config.environment),
    ]


def setting_views(config: Config) -> list[SettingView]:
    """Every setting with the layer that its value came from."""
    views: list[SettingView] = []
    for name, _, metadata in settings():
        section, key = name.split(".", 1)
        value = getattr(getattr(config, section), key)
        views.append(
            SettingView(
                name=name,
                value=_shown(name, value),
                layer=config.layers.get(name, "default"),
                about=str(metadata["about"]),
                variable="" if name == "search.providers" else environment_name(name),
            )
        )
    return views


def files(config: Config) -> list[tuple[Path, bool]]:
    """The configuration files that are looked for, and whether each exists."""
    own, project = user_file(config.environment), Path.cwd() / FILE_NAME
    return [(path, path.is_file()) for path in dict.fromkeys((own, project))]


def _shown(name: str, value: Any) -> Any:
    if name == "search.providers":
        return {provider: sorted(fields) for provider, fields in value.items()}
    # May hold a password.
    if name == "egress.proxy_url":
        return "(set)" if value else ""
    return value


def _program() -> Check:
    says = f"Outrider {package_version()}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return Check(name="program", state="ok", says=says)


def _untouched() -> Check:
    return Check(name="network", state="skipped", says="not tried")


# The network, by one page that is read as every page is.


async def _network(web: Web, call: Call, probe: str) -> list[Check]:
    try:
        fetched = await web.fetch(probe, limit=200, call=call)
    except (InvalidUrl, InvalidArgument):
        raise
    except WebError as error:
        return _why_not(error, web.config, probe)
    return _reached(fetched, probe)


def _reached(fetched: Fetched, probe: str) -> list[Check]:
    page = fetched.page
    assert page is not None
    says = f"{page.final_url} answered {page.status} in {page.elapsed_s:.2f} s"
    return [
        Check(name="names", state="ok", says="host names are resolved"),
        Check(name="network", state="ok", says=says),
        _verified(probe),
    ]


def _verified(probe: str) -> Check:
    if probe.lower().startswith("https:"):
        return Check(name="identity", state="ok", says="the server's certificate was verified")
    return Check(name="identity", state="skipped", says="not tried: the probe is not https")


def _why_not(error: WebError, config: Config, probe: str) -> list[Check]:
    named = Check(name="names", state="ok", says="host names are resolved")
    match error:
        case DnsFailed():
            todo = (
                "You seem to be offline, or the name servers do not answer. Pages and searches will fail until they do."
            )
            return [_failed("names", error, todo), _skipped("network")]
        case SsrfRejected():
            return [_failed("names", error, error.hint), _skipped("network")]
        case ProxyFailed():
            todo = "Check egress.proxy_url, or the proxy in the environment when egress.trust_env_proxy is on."
            return [_failed("network", error, todo)]
        case TlsFailed():
            todo = "If a proxy of your company opens TLS, name its authority's PEM file in egress.ca_file."
            return [named, _failed("identity", error, todo)]
        case _ if isinstance(error, _UNREACHABLE):
            return [named, _failed("network", error, _way_out(config))]
    # Everything else is said by a server, so there is a network.
    return [named, Check(name="network", state="ok", says=f"{probe} answered, with {error.code}"), _verified(probe)]


def _failed(name: str, error: WebError, todo: str) -> Check:
    return Check(name=name, state="failed", says=error.message, todo=todo, error=error)


def _skipped(name: str) -> Check:
    return Check(name=name, state="skipped", says="not tried, since names do not resolve")


def _way_out(config: Config) -> str:
    if _found(config.environment, _PROXY_VARIABLES[:3]) and not config.egress.trust_env_proxy:
        return "A proxy stands in the environment; if it is the way out, set egress.trust_env_proxy = true."
    return "A firewall may be in the way. If your network needs a proxy, name it in egress.proxy_url."


# What is configured.


def _certificates(config: Config) -> Check:
    from outrider.egress.trust import client_context  # Loads the TLS library.

    try:
        context = client_context(ca_file=config.egress.ca_file or None)
    except InvalidArgument as error:
        return _failed("certificates", error, "Correct egress.ca_file, or remove it.")
    count = context.cert_store_stats().get("x509_ca", 0)
    says = f"the system's store, {count} authorities" if count else "the system's store"
    if config.egress.ca_file:
        says += f", with those of {config.egress.ca_file}"
    named = _found(config.environment, _TRUST_VARIABLES)
    if named:
        says += f", as {' and '.join(named)} says"
    return Check(name="certificates", state="ok", says=says)


def _proxies(config: Config) -> Check:
    named = _found(config.environment, _PROXY_VARIABLES)
    if config.egress.proxy_url:
        return Check(name="proxy", state="ok", says="every connection goes through egress.proxy_url")
    if named and config.egress.trust_env_proxy:
        return Check(name="proxy", state="ok", says=f"{', '.join(named)} of the environment")
    if named:
        todo = "To use it: egress.trust_env_proxy = true, or OUTRIDER_EGRESS_TRUST_ENV_PROXY=true."
        says = f"none; {', '.join(named)} of the environment is not followed unless you say so"
        return Check(name="proxy", state="note", says=says, todo=todo)
    return Check(name="proxy", state="ok", says="none")


def _private_services(config: Config) -> Check:
    allowed = (*config.egress.allow_hosts, *config.egress.allow_hosts_extra)
    if not allowed:
        return Check(name="private", state="ok", says="no private service may be reached")
    return Check(name="private", state="note", says=f"these may be reached: {', '.join(allowed)}")


def _browser(environment: Mapping[str, str]) -> Check:
    path = environment.get("PATH")
    found = next((where for name in _BROWSERS if (where := shutil.which(name, path=path))), None)
    says = f"found {found}, not used yet" if found else "none found"
    todo = "Pages that a script fills in the browser cannot be read yet; they fail with empty_content."
    return Check(name="browser", state="note", says=says, todo=todo)


def _found(environment: Mapping[str, str], names: tuple[str, ...]) -> list[str]:
    return [spelling for name in names for spelling in (name, name.lower()) if environment.get(spelling)]
