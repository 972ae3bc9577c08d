"""What a call tells that does not fit: the text, the place and what to write instead."""

import numpy as np
import pytest

import dfad
from dfad import KernelTypeError


@dfad.kernel
def smooth(A, steps):
    """Average neighbours, in place."""
    for _t in range(steps):
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                A[i, j] = (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]) / 4.0
    return np.sum(A)


GRID = np.ones((4, 4))


@pytest.mark.parametrize("option", ["wrt", "memory", "tape_dtype", "snapshots", "threads", "fastmath", "cache"])
@pytest.mark.parametrize("call", [smooth, smooth.grad, smooth.value_and_grad, dfad.grad(smooth)])
def test_an_option_in_a_call_is_sent_to_the_transform(call, option):
    with pytest.raises(KernelTypeError) as caught:
        call(GRID, 2, **{option: "A"})
    assert str(caught.value).splitlines() == [
        f"smooth(A, steps): got an unexpected keyword argument '{option}'",
        f"  hint: options go to the transform: dfad.grad(smooth, {option}=...)",
    ]


@pytest.mark.parametrize(
    ("keyword", "hint"), [("step", "did you mean steps?"), ("tolerance", "its parameters are A, steps")]
)
def test_an_unknown_keyword_is_named_before_the_parameter_that_is_missing(keyword, hint):
    with pytest.raises(KernelTypeError) as caught:
        smooth.grad(GRID, **{keyword: 3})
    assert caught.value.message == f"smooth(A, steps): got an unexpected keyword argument '{keyword}'"
    assert caught.value.hint == hint


def test_a_missing_argument_is_named():
    with pytest.raises(KernelTypeError, match=r"^smooth\(A, steps\): missing a required argument: 'steps'$"):
        smooth.grad(GRID)
