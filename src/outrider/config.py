"""Every setting: defaults, files, environment and arguments laid over each other."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from outrider.errors import InvalidArgument

FILE_NAME = "outrider.toml"


def _setting(default: Any, about: str, *, low: float | None = None, high: float | None = None,
             choices: Sequence[str] = ()) -> Any:  # fmt: skip
    """One setting: its default, what it is for, and what values it takes."""
    return field(default=default, metadata={"about": about, "low": low, "high": high, "choices": tuple(choices)})


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressConfig:
    """The door to the network."""

    allow_hosts: tuple[str, ...] = _setting(
        (), "Private services that may be reached: host, host:port, *.suffix or network. Cloud metadata never can be."
    )
    allow_hosts_extra: tuple[str, ...] = _setting((), "The same for a deployment, beside the user's own list.")
    fake_ip_ranges: tuple[str, ...] = _setting(
        (), "Ranges from which a local tunnel answers names, such as 198.18.0.0/15. Never applied to address literals."
    )
    ca_file: str = _setting("", "A PEM file with further certificate authorities, such as a company's.")
    proxy_url: str = _setting("", "An HTTP proxy that every connection is tunnelled through.")
    trust_env_proxy: bool = _setting(False, "Whether HTTP_PROXY, HTTPS_PROXY and NO_PROXY are honoured.")
    user_agent: str = _setting("", "The identity sent to servers; empty means Outrider's own.")
    allow_downgrade: bool = _setting(False, "Whether a redirect may lead from https to http.")
    http2: bool = _setting(True, "Whether HTTP/2 is offered.")
    per_host: int = _setting(4, "Exchanges at one time with one host.", low=1, high=64)
    overall: int = _setting(64, "Exchanges at one time in all.", low=1, high=1024)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchConfig:
    """Reading pages."""

    connect_s: float = _setting(10.0, "Seconds until a connection must stand.", low=0.1, high=120)
    first_byte_s: float = _setting(30.0, "Seconds until the answer must begin.", low=0.1, high=600)
    stall_s: float = _setting(20.0, "Seconds without a byte after which a transfer is given up.", low=0.1, high=600)
    total_s: float = _setting(60.0, "Seconds for a whole fetch, redirects and conversion included.", low=0.5, high=3600)
    max_body_bytes: int = _setting(
        10 * 1024 * 1024, "The largest body, decoded; above it the fetch fails.", low=1024, high=200 * 1024 * 1024
    )
    max_redirects: int = _setting(5, "Redirects that are followed.", low=0, high=5)
    retries: int = _setting(1, "Further tries after a failure that may pass.", low=0, high=3)
    robots: str = _setting(
        "ignore", "Whether robots.txt is asked before a page that a call names.", choices=("ignore", "respect")
    )
    convert_s: float = _setting(20.0, "Seconds for turning one page into Markdown.", low=0.5, high=600)
    convert_memory_mb: int = _setting(
        72,
        "MiB that the conversion of one large page may take; ordinary HTML up to the largest body fits. "
        "Of a page that does not fit, the beginning is read, and a warning says so.",
        low=16,
        high=4096,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentConfig:
    """What becomes of a page."""

    images: str = _setting(
        "markdown",
        "Images as Markdown, as their alternative text, or not at all.",
        choices=("markdown", "text", "drop"),
    )
    pretty_json: bool = _setting(False, "Whether JSON is indented.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchConfig:
    """Asking search providers."""

    max_results: int = _setting(5, "Results when a call does not say.", low=1, high=20)
    max_results_ceiling: int = _setting(20, "The most results that a call gets.", low=1, high=20)
    order: tuple[str, ...] = _setting((), "Provider ids in the order they are asked; empty means the built-in order.")
    disabled: tuple[str, ...] = _setting((), "Provider ids that are never asked.")
    provider: str = _setting("", "The one provider that is asked; empty means that one is chosen.")
    fallback: str = _setting(
        "auto", "Whether others are asked when the chosen provider fails.", choices=("auto", "always")
    )
    fan_out: int = _setting(1, "Providers that are asked at once, their results merged.", low=1, high=5)
    cache_s: float = _setting(
        60.0, "Seconds for which an answer is given again, where its vendor's terms allow that.", low=0, high=3600
    )
    providers: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict,
        metadata={"about": "Per provider id: api_key, engine_id, base_url, proxy_url and its own fields."},
        repr=False,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WebConfig:
    """What agents are offered."""

    enabled: bool = _setting(True, "Whether agents get the web at all.")
    output_budget: int = _setting(32_000, "Characters that all items of one fetch share.", low=1_000, high=1_000_000)
    dialect: str = _setting("outrider", "Whose tool names and output texts agents get.")
    agent: str = _setting("", "The agent of the manifest that everything is done for; empty means one with every tool.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionsConfig:
    """What agents may ask for."""

    mode: str = _setting(
        "",
        "What holds where no rule speaks; empty means the dialect's own, which is allow in most.",
        choices=("", "allow", "ask", "deny", "yolo"),
    )
    allow: tuple[str, ...] = _setting(
        (), "Rules that allow: domain:host, domain:*.host, host/path/prefix, tool:name or a URL."
    )
    ask: tuple[str, ...] = _setting((), "Rules of the same forms for what a person is asked about.")
    deny: tuple[str, ...] = _setting((), "Rules of the same forms for what is refused, whatever else is said.")
    preapproved: str = _setting(
        "", "Whether documentation hosts may be read without asking; empty means as the dialect has it.",
        choices=("", "yes", "no"),
    )  # fmt: skip
    manifest: str = _setting("", "The project's manifest; empty means .outrider/manifest.toml.")
    approvals: str = _setting("", "Where approvals are kept for good; empty means .outrider/allowed_network.json.")
    ask_s: float = _setting(300.0, "Seconds that a person has for an answer.", low=1, high=86_400)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreConfig:
    """What outlives a call."""

    data_dir: str = _setting("", "The folder for stored pages; empty means the user's own data folder.")
    records: str = _setting("", "URL of the database; empty means a file in the data folder.")
    blobs: str = _setting("", "URL of the page bodies; empty means files in the data folder.")
    fsync: bool = _setting(False, "Whether a page body is on the disk itself before it counts as kept.")
    max_pages: int = _setting(200_000, "Pages that one tenant keeps; the oldest go first.", low=1, high=100_000_000)
    max_bytes: int = _setting(4 * 1024**3, "Bytes of text that one tenant keeps.", low=1_000_000, high=1 << 50)
    max_age_days: float = _setting(0.0, "Days that a page is kept; 0 means for ever.", low=0, high=36_500)
    http_cache: bool = _setting(True, "Whether answers are used again as HTTP allows it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceConfig:
    """Where files may be written."""

    root: str = _setting("", "The folder that downloads go to; empty means the current one.")
    write_roots: tuple[str, ...] = _setting((), "Folders in it that may be written to; empty means all of it.")
    read_only: bool = _setting(False, "Whether every download is refused.")
    download_bytes: int = _setting(
        20 * 1024 * 1024, "The largest download when a call does not say.", low=1, high=200 * 1024 * 1024
    )
    download_s: float = _setting(180.0, "Seconds for a whole download.", low=1, high=86_400)
    download_stall_s: float = _setting(30.0, "Seconds without a byte that break a download.", low=0.1, high=3_600)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderConfig:
    """The model that answers questions about pages; without one the tools do not offer it."""

    family: str = _setting(
        "", "How the model is spoken to: openai, as most are, anthropic, or client (the MCP client's own). Empty: none."
    )
    model: str = _setting("", "The model's name, as its server knows it.")
    base_url: str = _setting("", "The server's address when it is not the vendor's own; held to the same guard.")
    key_variable: str = _setting("", "The environment variable that holds the key; empty means the vendor's usual one.")
    max_tokens: int = _setting(1_024, "Tokens of one answer.", low=64, high=32_000)
    reader_s: float = _setting(40.0, "Seconds for one question to the model.", low=1, high=600)


_SECTIONS: dict[str, type] = {
    "egress": EgressConfig,
    "fetch": FetchConfig,
    "content": ContentConfig,
    "search": SearchConfig,
    "web": WebConfig,
    "permissions": PermissionsConfig,
    "store": StoreConfig,
    "workspace": WorkspaceConfig,
    "reader": ReaderConfig,
}
# A file that comes with a project must not open the network for whoever works in it.
_NOT_FROM_PROJECTS = ("egress", "search.providers", "permissions", "store", "workspace", "reader")
# Names that are shorter than their setting's place.
_ENVIRONMENT_NAMES = {
    "egress.allow_hosts": "OUTRIDER_ALLOW_HOSTS",
    "egress.allow_hosts_extra": "OUTRIDER_ALLOW_HOSTS_EXTRA",
    "store.data_dir": "OUTRIDER_DATA_DIR",
}
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """
    All settings of one `Web`, frozen.

    `layers` says for every setting that is not a default where its value came from.
    """

    egress: EgressConfig = field(default_factory=EgressConfig)
    fetch: FetchConfig = field(default_factory=FetchConfig)
    content: ContentConfig = field(default_factory=ContentConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    web: WebConfig = field(default_factory=WebConfig)
    permissions: PermissionsConfig = field(default_factory=PermissionsConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    workspace: WorkspaceConfig = field(default_factory=WorkspaceConfig)
    reader: ReaderConfig = field(default_factory=ReaderConfig)
    layers: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What may hold keys: the environment as it was at loading."""

    @classmethod
    def load(
        cls,
        arguments: Mapping[str, Any] | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Config:
        """
        Lay defaults < user's file < project's file < environment < arguments over each other.

        Args:
            arguments: Setting names, with or without their section: `allow_hosts` or `egress.allow_hosts`.
            environment: Instead of the process's own.
            folder: Where a project's file is looked for, instead of the current folder.

        Raises:
            InvalidArgument: A setting is unknown or its value is wrong; the message names both and the layer.
        """
        env = dict(os.environ if environment is None else environment)
        config = cls(environment=env)
        for layer, values in _layers(env, folder or Path.cwd(), arguments or {}):
            config = config._with(layer, values)
        return config

    def _with(self, layer: str, values: Mapping[str, Any]) -> Config:
        config = self
        for name, raw in values.items():
            section, key = name.split(".", 1)
            part = getattr(config, section)
            value = _read(name, raw, part, key, layer)
            config = replace(
                config,
                **{section: replace(part, **{key: value})},
                layers={**config.layers, name: layer},
            )
        return config


def settings() -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Every setting: its full name, its default, and its metadata (`about low high choices`)."""
    for section, kind in _SECTIONS.items():
        defaults = kind()
        for entry in fields(kind):
            yield f"{section}.{entry.name}", getattr(defaults, entry.name), entry.metadata


def environment_name(setting: str) -> str:
    """The environment variable of a setting."""
    return _ENVIRONMENT_NAMES.get(setting, "OUTRIDER_" + setting.replace(".", "_").upper())


def user_file(environment: Mapping[str, str]) -> Path:
    """The user's own configuration file, whether it exists or not."""
    named = environment.get("OUTRIDER_CONFIG")
    if named:
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_config_dir("outrider")) / FILE_NAME


def data_folder(config: Config) -> Path:
    """Where stored things are kept, whether the folder exists or not."""
    if config.store.data_dir:
        return Path(config.store.data_dir)
    import platformdirs

    return Path(platformdirs.user_data_dir("outrider"))


def _layers(
    env: Mapping[str, str], folder: Path, arguments: Mapping[str, Any]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    own = user_file(env)
    if own.is_file():
        yield str(own), _from_file(own)
    elif env.get("OUTRIDER_CONFIG"):
        message = f"OUTRIDER_CONFIG names {own}, which is not a file"
        raise InvalidArgument(message)
    project = folder / FILE_NAME
    if project.is_file() and project.resolve() != own.resolve():
        values = _from_file(project)
        _refuse_widening(values, project, own)
        yield str(project), values
    names = {environment_name(name): name for name, *_ in settings() if name != "search.providers"}
    yield "environment", {names[key]: value for key, value in env.items() if key in names}
    yield "argument", {_full_name(key): value for key, value in arguments.items()}


def _from_file(path: Path) -> Mapping[str, Any]:
    try:
        parsed = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        message = f"{path} cannot be read as TOML: {error}"
        raise InvalidArgument(message) from error
    values: dict[str, Any] = {}
    known = {name for name, *_ in settings()}
    for section, entries in parsed.items():
        if section not in _SECTIONS or not isinstance(entries, dict):
            message = f"{path}: [{section}] is not a section; there are {', '.join(_SECTIONS)}"
            raise InvalidArgument(message)
        for key, value in entries.items():
            if f"{section}.{key}" not in known:
                message = f"{path}: {section}.{key} is not a setting"
                raise InvalidArgument(message)
            values[f"{section}.{key}"] = value
    return values


def _refuse_widening(values: Mapping[str, Any], project: Path, own: Path) -> None:
    for name in values:
        if name.startswith(_NOT_FROM_PROJECTS):
            message = (
                f"{project} sets {name}, which a project's file may not: it would open the network for its readers"
            )
            raise InvalidArgument(message, hint=f"Move it to {own}, or name the file yourself with OUTRIDER_CONFIG.")


def _full_name(key: str) -> str:
    known = [name for name, *_ in settings()]
    matches = [name for name in known if key in (name, name.split(".", 1)[1])]
    if len(matches) == 1:
        return matches[0]
    message = f"{key} may be {' or '.join(matches)}" if matches else f"{key} is not a setting"
    raise InvalidArgument(message, hint="`outrider doctor` lists the settings.")


def _read(name: str, raw: Any, part: Any, key: str, layer: str) -> Any:
    default = getattr(type(part)(), key)
    about = next(entry.metadata for entry in fields(part) if entry.name == key)
    try:
        value = _convert(raw, default)
    except (TypeError, ValueError) as error:
        raise _wrong(name, raw, f"it takes {_kind_of(default)}", layer) from error
    if about.get("choices") and value not in about["choices"]:
        raise _wrong(name, raw, f"it is one of {', '.join(about['choices'])}", layer)
    low, high = about.get("low"), about.get("high")
    if low is not None and not low <= value <= high:
        raise _wrong(name, raw, f"it lies between {low:g} and {high:g}", layer)
    return value


def _convert(raw: Any, default: Any) -> Any:
    if isinstance(default, bool):
        return _boolean(raw)
    if isinstance(default, int):
        if isinstance(raw, bool | float):
            raise TypeError
        return int(raw)
    if isinstance(default, float):
        if isinstance(raw, bool):
            raise TypeError
        return float(raw)
    if isinstance(default, tuple):
        parts = raw.split(",") if isinstance(raw, str) else list(raw)
        if not all(isinstance(part, str) for part in parts):
            raise TypeError
        return tuple(part.strip() for part in parts if part.strip())
    if isinstance(default, Mapping):
        return _tables(raw)
    if not isinstance(raw, str | Path):
        raise TypeError
    return str(raw)


def _tables(raw: Any) -> dict[str, dict[str, str]]:
    if not isinstance(raw, Mapping) or not all(isinstance(inner, Mapping) for inner in raw.values()):
        raise TypeError
    return {str(outer): {str(key): str(value) for key, value in inner.items()} for outer, inner in raw.items()}


def _boolean(raw: Any) -> bool:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str) and raw.strip().lower() in _TRUE | _FALSE:
        return raw.strip().lower() in _TRUE
    raise TypeError


def _kind_of(default: Any) -> str:
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, int):
        return "a whole number"
    if isinstance(default, float):
        return "a number"
    return "a list of texts" if isinstance(default, tuple) else "a text"


def _wrong(name: str, raw: Any, rule: str, layer: str) -> InvalidArgument:
    shown = "that value" if "provider" in name or "proxy" in name else repr(raw)[:80]
    return InvalidArgument(f"{name} cannot be {shown} ({layer}): {rule}")
