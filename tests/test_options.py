"""Options are checked when they are made, and say what they take."""

import numpy as np
import pytest

from dfad.errors import KernelTypeError
from dfad.options import Options, merge, parse_bytes


@pytest.mark.parametrize(
    ("size", "count"),
    [
        (None, None), (0, 0), (512, 512), (np.int64(7), 7), ("500 MB", 500_000_000), ("64 MiB", 64 * 2**20), ("1.5kB", 1500),
        (".5 KiB", 512), ("12", 12), ("3 b", 3), ("1_000 GB", 10**12), ("0.1 GB", 10**8), (" 2TiB ", 2**41),
    ],
)  # fmt: skip
def test_sizes_are_read(size, count):
    assert parse_bytes(size) == count


@pytest.mark.parametrize("size", ["", "MB", "5 parsecs", "-1 MB", "1e3 MB", -1, 1.5, True, [1]])
def test_what_is_no_size_is_refused(size):
    with pytest.raises(KernelTypeError, match="is not a size") as caught:
        parse_bytes(size)
    assert repr(size) in caught.value.message
    assert "500 MB" in caught.value.hint


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ({"wrt": 1.5}, "name or position"), ({"wrt": True}, "name or position"), ({"wrt": ()}, "name or position"),
        ({"wrt": ["a", None]}, "name or position"), ({"memory": "much"}, "64 MiB"), ({"tape_dtype": "float16"}, "'float32'"),
        ({"snapshots": "tape"}, "'memory', 'disk'"), ({"threads": 0}, "positive"), ({"threads": 1.0}, "positive"),
        ({"fastmath": 1}, "False, True"), ({"cache": "no"}, "False, True"),
    ],
)  # fmt: skip
def test_bad_options_are_refused(option, hint):
    with pytest.raises(KernelTypeError) as caught:
        Options(**option)
    (name, value), = option.items()
    assert name in caught.value.message
    assert repr(value) in caught.value.message
    assert hint in caught.value.hint


def test_options_are_normalised_and_hashable():
    options = Options(wrt=["A", 1], memory="1 kB", threads=2)
    assert options.wrt == ("A", 1)
    assert options.budget == options.memory == 1000
    assert hash(options) == hash(Options(wrt=("A", 1), memory=1000, threads=2))


def test_merge_replaces_and_checks():
    assert merge(Options(wrt="A"), memory=8) == Options(wrt="A", memory=8)
    assert merge(Options(wrt="A", memory=8), memory=None) == Options(wrt="A")
    with pytest.raises(KernelTypeError, match="budget is not an option") as caught:
        merge(Options(), budget=8)
    assert "memory" in caught.value.hint


def test_budget_and_threads_do_not_change_the_code():
    assert Options(memory=8, threads=1, cache=False).compile_key() == Options().compile_key()
    for changed in (Options(wrt="A"), Options(tape_dtype="float32"), Options(fastmath=True), Options(snapshots="disk")):
        assert changed.compile_key() != Options().compile_key()
