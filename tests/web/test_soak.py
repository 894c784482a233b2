"""After many good and hostile fetches nothing is left behind."""

from __future__ import annotations

import pytest

from soak import soak


@pytest.mark.slow
async def test_good_and_hostile_fetches_leave_no_thread_descriptor_or_task_behind() -> None:
    result = await soak(80)

    assert result.after.threads <= result.before.threads
    assert result.after.descriptors <= result.before.descriptors
    assert result.after.tasks <= result.before.tasks
    assert {
        "success",
        "ssrf_rejected",
        "too_many_redirects",
        "body_too_large",
        "read_timeout",
    } <= result.outcomes.keys()
    assert 0 == result.outcomes["internal"]
    assert 80 == sum(result.outcomes.values())
