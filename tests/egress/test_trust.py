"""Which authorities are trusted."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from outrider.egress.trust import client_context
from outrider.errors import InvalidArgument
from world.world import World


def test_the_context_verifies_names_and_speaks_no_old_tls() -> None:
    context = client_context()

    assert ssl.CERT_REQUIRED == context.verify_mode
    assert context.check_hostname
    assert ssl.TLSVersion.TLSv1_2 == context.minimum_version
    assert context.keylog_filename is None


async def test_a_companys_own_authority_is_added_to_the_others(world: World) -> None:
    before, after = client_context(), client_context(ca_file=str(world.ca_file))

    assert len(after.get_ca_certs()) == len(before.get_ca_certs()) + 1


@pytest.mark.parametrize("content", [None, "", "not a certificate"])
def test_a_file_that_is_no_certificate_is_named(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)

    with pytest.raises(InvalidArgument, match=r"ca\.pem"):
        client_context(ca_file=str(path))


def test_a_system_without_a_store_gets_the_bundled_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "absent.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "absent"))

    assert len(client_context().get_ca_certs()) > 50


def test_a_key_log_of_the_environment_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys.log"))

    assert client_context().keylog_filename is None
