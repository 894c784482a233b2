"""The project's file of approvals."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from outrider.errors import PermissionDenied, StorageError
from outrider.permissions.approvals import Approvals


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / ".outrider" / "allowed_network.json"


def texts(approvals: Approvals) -> list[str]:
    return [rule.pattern.text for rule in approvals.rules()]


def test_a_missing_file_approves_nothing(file: Path) -> None:
    assert () == Approvals(file).rules()


def test_an_approval_is_kept_in_the_documented_form_and_once(file: Path) -> None:
    approvals = Approvals(file)
    approvals.add("domain:example.org")
    approvals.add("domain:example.org")
    assert {"allowed": ["domain:example.org"]} == json.loads(file.read_text())
    assert ["domain:example.org"] == texts(approvals)
    assert [] == [entry for entry in file.parent.iterdir() if entry.name not in (file.name, "allowed_network.lock")]


def test_what_was_written_by_hand_or_by_another_process_counts_at_once_and_stays(file: Path) -> None:
    approvals = Approvals(file)
    approvals.add("domain:one.test")
    file.write_text('{"allowed": ["domain:one.test", "https://two.test/a?b"], "note": "ours"}')
    assert ["domain:one.test", "https://two.test/a?b"] == texts(approvals)
    approvals.add("domain:three.test")
    assert {"allowed": ["domain:one.test", "https://two.test/a?b", "domain:three.test"], "note": "ours"} == json.loads(
        file.read_text()
    )


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b'{"allowed": "domain:x"}', b'{"allowed": [1]}', b'{"allowed": ["domain:"]}', b"\xff\xfe",
        b"[" * 100_000, b'{"allowed": []}' + b" " * 1024 * 1024,
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_understood_denies_and_is_left_alone(file: Path, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(PermissionDenied):
        Approvals(file).rules()
    if content != b'{"allowed": ["domain:"]}':
        with pytest.raises(PermissionDenied):
            Approvals(file).add("domain:x.test")
    assert content == file.read_bytes() or b"domain:x.test" in file.read_bytes()


def test_a_file_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / ".outrider").write_text("not a folder")
    with pytest.raises(StorageError):
        Approvals(tmp_path / ".outrider" / "allowed_network.json").add("domain:x.test")


def test_two_processes_that_write_at_once_lose_nothing(file: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from outrider.permissions.approvals import Approvals\n"
        "approvals = Approvals(Path(sys.argv[1]))\n"
        "for number in range(40): approvals.add(f'domain:{sys.argv[2]}{number}.test'); approvals.rules()\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    writers = [
        subprocess.Popen([sys.executable, "-c", program, str(file), name], env=environment) for name in ("a", "b")
    ]
    assert [0, 0] == [writer.wait(60) for writer in writers]
    kept = json.loads(file.read_text())["allowed"]
    assert {f"domain:{name}{number}.test" for name in "ab" for number in range(40)} == set(kept)
    assert 80 == len(kept)


def test_a_folder_that_is_none_refuses(tmp_path: Path) -> None:
    (tmp_path / ".outrider").write_text("not a folder")
    with pytest.raises(PermissionDenied):
        Approvals(tmp_path / ".outrider" / "allowed_network.json").rules()
    with pytest.raises(PermissionDenied):
        Approvals(tmp_path).rules()


def test_a_write_that_fails_leaves_the_file_as_it_was_and_nothing_beside_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    approvals = Approvals(file)
    approvals.add("domain:one.test")
    before = file.read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError):
        approvals.add("domain:two.test")
    assert before == file.read_bytes()
    assert {file.name, "allowed_network.lock"} == {entry.name for entry in file.parent.iterdir()}


@pytest.mark.skipif(sys.platform == "win32", reason="the test holds the lock as POSIX systems do")
def test_another_process_that_holds_the_file_is_waited_for_and_not_for_ever(file: Path) -> None:
    import fcntl

    file.parent.mkdir()
    with file.with_suffix(".lock").open("a+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(StorageError):
            Approvals(file, lock_s=0.05).add("domain:one.test")
    Approvals(file, lock_s=0.05).add("domain:one.test")
