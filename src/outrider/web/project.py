"""A project's manifest, as interfaces show, check and extend it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from outrider.config import Config
from outrider.errors import InvalidArgument, StorageError
from outrider.permissions.manifest import FILE_NAME, Manifest, check_manifest, load_manifest, manifest_with
from outrider.permissions.manifest_text import show_manifest, with_agent, with_rule, with_tools
from outrider.permissions.rules import parse_rule
from outrider.web.dialect import load_dialect

if TYPE_CHECKING:
    from outrider.web.dialect import Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectManifest:
    """The file of one project, and what it is laid over."""

    path: Path
    base: Manifest

    @classmethod
    def of(cls, config: Config) -> ProjectManifest:
        """
        The manifest that a `Web` of this configuration reads.

        Raises:
            InvalidArgument: There is no such dialect.
        """
        return project_manifest(config, load_dialect(config.web.dialect))

    def manifest(self) -> Manifest:
        """
        What holds: the base with the file laid over it.

        Raises:
            InvalidArgument: The file cannot be read or is wrong.
        """
        return load_manifest(self.path, over=self.base)

    def show(self) -> str:
        """
        What holds, as TOML.

        Raises:
            InvalidArgument: The file cannot be read or is wrong.
        """
        return show_manifest(self.manifest())

    def check(self) -> list[str]:
        """
        What is wrong with the file, a sentence each; nothing when it is well or not there.

        Raises:
            InvalidArgument: The file cannot be read.
        """
        return [str(complaint) for complaint in check_manifest(self._text(), over=self.base)]

    def add_tools(self, names: Sequence[str]) -> bool:
        """
        Add the default entries of tools to the file, to be edited there; False when it has them all.

        Raises:
            InvalidArgument: There is no such tool, or the file is wrong.
            StorageError: The file cannot be written.
        """
        return self._change(lambda text: with_tools(text, names, over=self.base))

    def add_agent(self, name: str, tools: Sequence[str]) -> bool:
        """
        Add an agent to the file.

        Raises:
            InvalidArgument: There is one of that name, or the file is wrong.
            StorageError: The file cannot be written.
        """
        return self._change(lambda text: with_agent(text, name, tools))

    def add_rule(
        self, action: str, pattern: str, *, permission: str = "network", tool: str = "", agent: str = ""
    ) -> bool:
        """
        Add a rule to the file: for everything, or for one tool or agent.

        Raises:
            InvalidArgument: It is no rule, there is no such agent, or the file is wrong.
            StorageError: The file cannot be written.
        """
        rule = parse_rule(action, pattern, permission)
        return self._change(lambda text: with_rule(text, rule, tool=tool, agent=agent))

    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            message = f"{self.path} cannot be read: {error}"
            raise InvalidArgument(message) from error

    def _change(self, change: Callable[[str], str]) -> bool:
        before = self._text()
        after = change(before)
        if after == before:
            return False
        complaints = check_manifest(after, over=self.base)
        if complaints:
            message = f"{self.path} would not be well: {complaints[0]}"
            raise InvalidArgument(message, hint="`outrider manifest check` names all that is wrong.")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _replace(self.path, after)
        except OSError as error:
            message = f"{self.path} cannot be written: {error.strerror}"
            raise StorageError(message) from error
        return True


def project_manifest(config: Config, dialect: Dialect) -> ProjectManifest:
    """The manifest of the current folder, in a dialect."""
    named = config.permissions.manifest
    return ProjectManifest(
        path=Path(named) if named else Path.cwd() / dialect.folder / FILE_NAME,
        base=manifest_with(dialect.manifest, f"the manifest of {dialect.name}"),
    )


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # What only its owner could read stays so; a new file is made like any other.
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
