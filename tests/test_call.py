"""One call's circumstances."""

from __future__ import annotations

import asyncio
import time

import pytest

from outrider.call import Call
from outrider.errors import TotalTimeout


def test_a_call_without_a_deadline_has_no_time_limit() -> None:
    assert Call().remaining() is None


def test_within_only_ever_brings_the_deadline_forward() -> None:
    soon = Call(deadline=time.monotonic() + 1)

    assert soon.deadline == soon.within(3_600).deadline
    earlier = soon.within(0.5).deadline
    assert earlier is not None
    assert soon.deadline is not None
    assert earlier < soon.deadline


def test_a_past_deadline_leaves_nothing() -> None:
    assert 0 == Call(deadline=time.monotonic() - 5).remaining()


async def test_a_block_is_ended_at_the_deadline_and_says_what_was_cut_short() -> None:
    call = Call(deadline=time.monotonic())

    with pytest.raises(TotalTimeout, match="reading a page"):
        async with call.limited("reading a page"):
            await asyncio.Event().wait()


async def test_a_time_out_of_another_kind_passes() -> None:
    with pytest.raises(TimeoutError):
        async with Call().limited("reading"):
            raise TimeoutError


async def test_a_block_that_ends_in_time_is_left_alone() -> None:
    async with Call().within(5).limited("reading"):
        await asyncio.sleep(0)
