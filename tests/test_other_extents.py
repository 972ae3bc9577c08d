"""Names that mean arrays of one extent or another, as the arguments decide: the call begins again, and nobody sees it."""

import copy

import numpy as np
import pytest

import dfad
from dfad.errors import KernelIndexError


def product_or_row(x, y, A, c):
    if c > 1.0:
        out = A @ y
    else:
        out = A[0] * y
    return np.sum(np.sin(out))


def product_instead(x, y, A, c):
    out = A[0] * y
    if c > 1.0:
        out = A @ y
    out[0] *= 3.0
    return np.sum(out * out)


def one_or_the_other(x, y, A, c):
    u = x if c > 1.0 else y
    u[0] = u[1] * u[-1]
    return np.sum(x * x) + np.sum(y)


def computed_one_or_other(x, y, A, c):
    x[0] = 2.0 * x[1]
    for _i in range(2):
        if c > 1.0:
            u = x * y[0]
        else:
            u = y * x[0]
        x[1] += np.sum(u * u)
    return np.sum(u)


def exchanged(x, y, A, c):
    for _i in range(3):
        x, y = y, x
        x[0] += c * y[-1]
    return np.sum(x) * c + np.sum(y * y)


def exchanged_and_scaled(x, y, A, c):
    for _i in range(3):
        x, y = y * 0.5, x * c
    return np.sum(x) * c + np.sum(y * y)


def picked(u, v, c):
    return u if c > 1.0 else v


def in_a_function(x, y, A, c):
    u = picked(x, y, c)
    w = picked(A[:, 0], A[0], c)
    u[-1] = w[-1] * w[0]
    return np.sum(u * u) + np.sum(w)


def where_it_is_not_taken(x, y, A, c):
    u = x * 2.0
    if c > 5.0:
        u = y * 3.0
    x[:] = u
    return np.sum(u)


def swapped_then_new(x, y, A, c):
    for _i in range(int(3.0 * c) - 1):
        x, y = y, x
    if x[0] > y[-1]:
        y = y * 2.0
    y[0] += x[-1] * x[0]
    return np.sum(x) + np.sum(y * y)


def rows_of_both(x, y, A, c):
    s = 0.0
    for _i in range(2):
        for v, w in zip(x, y):  # noqa: B905
            y[-1] -= 0.1 * v * w
            if w > 0.8:
                y = x * 0.5
            x, y = y, x
            s += y[0] * x[-1]
    return s + c * np.sum(x) + np.sum(y)


KERNELS = (
    product_or_row, product_instead, one_or_the_other, computed_one_or_other, exchanged, exchanged_and_scaled, in_a_function,
    where_it_is_not_taken, swapped_then_new, rows_of_both,
)  # fmt: skip
SHAPES = (3, 3), (4, 3), (3, 5), (2, 2), (5, 2)


def arguments(rows, columns, c):
    rng = np.random.default_rng(rows + 10 * columns)
    return rng.uniform(0.5, 1.0, rows), rng.uniform(0.5, 1.0, columns), rng.uniform(0.5, 1.0, (rows, columns)), c


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_values_and_arguments(kernel):
    compiled = dfad.kernel(kernel)
    for rows, columns in SHAPES:
        for c in (1.3, 0.7):
            given, same = arguments(rows, columns, c), arguments(rows, columns, c)
            np.testing.assert_allclose(compiled(*given), kernel(*same), rtol=1e-13)
            for ours, numpys in zip(given, same, strict=True):
                np.testing.assert_allclose(ours, numpys, rtol=1e-13)


def slope(kernel, given, at, direction):
    """By the complex step."""
    moved = [np.array(value, complex) if isinstance(value, np.ndarray) else value for value in copy.deepcopy(given)]
    moved[at] += 1e-30j * direction
    return kernel(*moved).imag / 1e-30


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_gradients(kernel, threads):
    gradient = dfad.grad(kernel, wrt=(0, 1, 2), threads=threads)
    for rows, columns in SHAPES:
        for c in (1.3, 0.7):
            given = arguments(rows, columns, c)
            found = gradient(*given)
            for at in range(3):
                direction = np.random.default_rng(at).standard_normal(np.shape(given[at]))
                np.testing.assert_allclose(np.sum(found[at] * direction), slope(kernel, given, at, direction), rtol=1e-10, atol=1e-13)
            for ours, untouched in zip(given, arguments(rows, columns, c), strict=True):
                np.testing.assert_array_equal(ours, untouched)


def test_a_pullback_and_its_check():
    _, pullback = dfad.vjp(exchanged, *arguments(4, 3, 1.3), of=("x", "y"), wrt=("x", "y"))
    for _twice in range(2):
        by_x, by_y = pullback((np.ones(4), np.ones(3)))
        assert (by_x.shape, by_y.shape) == ((4,), (3,))
    assert dfad.check_grad(product_or_row, *arguments(4, 3, 1.3), wrt=(1, 2))


def test_equal_extents_keep_the_code_that_assumes_them():
    compiled = dfad.kernel(product_or_row, cache=False)
    compiled(*arguments(3, 3, 1.3))
    first = compiled.source("c")
    compiled(*arguments(3, 3, 0.7))
    assert compiled.source("c") == first
    compiled(*arguments(4, 3, 0.7))
    assert compiled.source("c") != first


def sum_of_paths(x, y, A, c):
    if c > 1.0:
        u = x * 2.0
    else:
        u = y * 3.0
    return np.sum(u * x)


def test_what_does_not_fit_is_an_error_still():
    compiled = dfad.kernel(sum_of_paths)
    given = arguments(4, 3, 1.3)
    np.testing.assert_allclose(compiled(*given), sum_of_paths(*given), rtol=1e-13)
    with pytest.raises(KernelIndexError, match="extents 3 and 4"):
        compiled(*arguments(4, 3, 0.7))
