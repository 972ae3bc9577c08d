"""What a call takes and what it refuses; whatever happens, only what the kernel updates in place changes."""

import re

import numpy as np
import pytest

import dfad

pytestmark = pytest.mark.slow
SCALE = 2.0


@dfad.kernel
def scale(A, factor=SCALE):
    for i in range(A.shape[0]):
        A[i] = A[i] * factor


@dfad.kernel
def shifted(A, B):
    for i in range(A.shape[0]):
        A[i] = A[i] + B[i]
    return A[0]


@dfad.kernel
def product(a, b):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * b[i]
    return s


@dfad.kernel
def pick(A, index):
    s = 0.0
    for i in range(A.shape[0]):
        A[i] = 2.0 * A[i]
        s += A[index + i]
    return s


@dfad.kernel
def total(A):
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s += A[i, j] * A[i, j]
    return s


def refusal(call, kind=dfad.KernelTypeError):
    with pytest.raises(kind) as caught:
        call()
    return caught.value


def line_of(kernel, text):
    lines = kernel.source("python").splitlines() if kernel._used.last else kernel._source.text.splitlines()
    return kernel._source.tree.lineno + next(n for n, line in enumerate(lines) if text in line)


# ---------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("value", "what", "hint"),
    [
        ([1.0, 2.0], "a list", "np.array(a)"),
        ((1.0, 2.0), "a tuple", "np.array(a)"),
        (np.ones(3, complex), "an array of complex128", "a.real and a.imag"),
        (np.ones(3, np.float16), "an array of float16", "float64"),
        (np.ones(3, ">f8"), "byte order", "newbyteorder"),
        (np.ones(3, object), "an array of object", "float64"),
        (np.ma.ones(3), "a MaskedArray", "np.asarray(a)"),
        (np.array(1.0), "no dimensions", "a.item()"),
        (1j, "a complex number", "not supported yet"),
        (2**63, "does not fit 64 bits", "int64"),
        ({}, "a dict", "a kernel takes arrays"),
    ],
)
def test_unsupported_arguments_are_refused_with_name_and_place(value, what, hint):
    error = refusal(lambda: product(value, np.ones(3)))
    assert "argument a" in error.message
    assert what in error.message
    assert hint in error.hint
    assert error.line == product._source.tree.lineno
    assert error.text[error.column : error.end_column] == "a"


def test_wrong_rank_is_refused_at_the_line_that_shows_it():
    error = refusal(lambda: product(np.ones((2, 2)), np.ones(2)), dfad.DfadError)
    assert error.line == line_of(product, "s += a[i] * b[i]")


def test_overlapping_arguments_are_refused_when_one_is_written():
    base = np.arange(10.0)
    before = base.copy()
    for first, second in ((base, base), (base[:6], base[4:]), (base[::2], base[:5])):
        message = refusal(lambda a=first, b=second: shifted(a, b)).message
        assert re.search("A and B overlap.*writes to A", message)
    assert np.array_equal(base, before)


def test_interleaved_arguments_that_share_no_element_are_taken():
    base = np.arange(10.0)
    shifted(base[::2], base[1::2])
    assert np.array_equal(base[::2], [1.0, 5.0, 9.0, 13.0, 17.0])
    assert np.array_equal(base[1::2], [1.0, 3.0, 5.0, 7.0, 9.0])


def test_the_same_array_twice_is_taken_when_neither_is_written():
    a = np.arange(4.0)
    assert product(a, a) == 14.0
    assert np.array_equal(dfad.grad(product, wrt=("a", "b"))(a, a), (a, a))


def test_a_read_only_array_is_refused_by_a_primal_that_writes_it():
    a = np.ones(3)
    a.flags.writeable = False
    error = refusal(lambda: scale(a))
    assert "scale writes to argument A, which is read-only" in error.message
    assert np.array_equal(a, np.ones(3))


def test_an_array_whose_elements_are_one_is_refused_where_it_is_written():
    error = refusal(lambda: scale(np.lib.stride_tricks.as_strided(np.ones(1), (3,), (0,))))
    assert "elements overlap" in error.message


def test_an_index_out_of_range_names_the_line_and_leaves_what_numpy_leaves():
    A, expected = np.arange(4.0), np.arange(4.0)
    error = refusal(lambda: pick(A, 2), dfad.KernelIndexError)
    assert isinstance(error, IndexError)
    assert error.line == line_of(pick, "s += A[index + i]")
    with pytest.raises(IndexError):
        pick.__wrapped__(expected, 2)
    assert np.array_equal(A, expected)


def test_a_failed_gradient_changes_nothing():
    A = np.arange(4.0)
    refusal(lambda: pick.grad(A, 2), dfad.KernelIndexError)
    assert np.array_equal(A, np.arange(4.0))


def test_a_strided_array_gets_what_was_written_before_an_error():
    base = np.arange(8.0)
    refusal(lambda: pick(base[::2], 2), dfad.KernelIndexError)
    expected = np.arange(8.0)
    with pytest.raises(IndexError):
        pick.__wrapped__(expected[::2], 2)
    assert np.array_equal(base, expected)


def test_calls_are_bound_as_python_binds_them():
    a = np.ones(2)
    scale(a)
    scale(factor=3.0, A=a)
    scale(a, factor=5.0)
    assert np.array_equal(a, [30.0, 30.0])
    for call in (scale, lambda: scale(a, 1.0, 2.0), lambda: scale(a, wrong=1.0), lambda: scale(a, A=a)):
        assert "scale(A, factor=2.0)" in refusal(call).message


def test_an_integer_or_bool_cannot_be_differentiated_by():
    error = refusal(lambda: dfad.grad(pick, wrt="index")(np.ones(3), 0))
    assert "index is not of floating-point type" in error.message
    error = refusal(lambda: dfad.grad(pick, wrt="nobody")(np.ones(3), 0))
    assert "nobody" in error.message
    assert "A, index" in error.hint


def test_a_kernel_without_a_scalar_result_names_vjp():
    assert "dfad.vjp(scale" in refusal(lambda: scale.grad(np.ones(2))).hint


# ---------------------------------------------------------------- taken

LAYOUTS = {
    "fortran": lambda A: np.asfortranarray(A),
    "transposed": lambda A: A.T.copy().T,
    "every second": lambda A: np.repeat(np.repeat(A, 2, 0), 2, 1)[::2, ::2],
    "reversed": lambda A: A[::-1, ::-1].copy()[::-1, ::-1],
    "unaligned": lambda A: np.frombuffer(b"x" + A.tobytes(), np.uint8)[1:].view(np.float64).reshape(A.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout_is_read(layout):
    A = np.random.default_rng(0).normal(size=(3, 4))
    laid = LAYOUTS[layout](A)
    laid.flags.writeable = False
    assert np.isclose(total(laid), np.sum(A * A), rtol=1e-14, atol=0)
    assert np.array_equal(total.grad(laid), 2 * A)


def test_a_file_mapped_into_memory_is_read_and_written(tmp_path):
    mapped = np.memmap(tmp_path / "data", np.float64, "w+", shape=(3,))
    mapped[:] = [1.0, 2.0, 3.0]
    scale(mapped)
    assert np.array_equal(np.fromfile(tmp_path / "data"), [2.0, 4.0, 6.0])


def test_any_layout_is_written():
    base = np.arange(12.0).reshape(3, 4)
    scale(base[:, 1])
    scale(base[::-1, 2])
    expected = np.arange(12.0).reshape(3, 4)
    expected[:, 1:3] *= 2
    assert np.array_equal(base, expected)


def test_arrays_of_size_zero():
    assert total(np.zeros((0, 3))) == 0.0
    assert total.grad(np.zeros((3, 0))).shape == (3, 0)
    scale(np.zeros(0))


def test_nan_stays_where_it_is():
    A = np.array([[1.0, np.nan], [np.inf, 2.0]])
    assert np.isnan(total(A))
    assert np.array_equal(total.grad(A), 2 * A, equal_nan=True)


def test_numpy_scalars_are_numbers():
    a = np.ones(2)
    scale(a, np.float64(3.0))
    scale(a, np.float32(2.0))
    assert np.array_equal(a, [6.0, 6.0])
    assert pick(np.ones(2), np.int64(-1)) == pick(np.ones(2), -1) == 3.0


def test_other_dtypes_of_the_same_type_are_taken():
    swapped = np.dtype("q") if np.dtype("q") is not np.dtype("l") else np.dtype("l")
    assert dfad.kernel(count)(np.arange(4, dtype=swapped)) == 6


def count(a):
    s = 0
    for i in range(a.shape[0]):
        s += a[i]
    return s


def test_results_have_the_types_of_python_and_numpy():
    a = np.ones(2)
    assert type(product(a, a)) is float
    assert type(dfad.kernel(count)(np.arange(3))) is int
    assert type(dfad.grad(scaled_sum, wrt="c")(a, 2.0)) is np.float64
    assert dfad.grad(scaled_sum, wrt="c")(a, 2.0) == 2.0
    value, gradient = dfad.value_and_grad(scaled_sum)(a, 2.0)
    assert type(value) is float
    assert value == 4.0
    assert np.array_equal(gradient, [2.0, 2.0])


def scaled_sum(a, c):
    s = 0.0
    for i in range(a.shape[0]):
        s += c * a[i]
    return s


def test_single_precision_stays_single():
    a = np.ones(3, np.float32)
    gradient = product.grad(a, 2 * a)
    assert gradient.dtype == np.float32
    assert np.array_equal(gradient, 2 * a)


def test_overlapping_arguments_are_refused_by_a_gradient_too():
    base = np.arange(1.0, 11.0)
    for first, second in ((base, base), (base[:6], base[4:]), (base, base[::-1])):
        for call in (dfad.grad(shifted_sum), dfad.value_and_grad(shifted_sum), lambda a, b: dfad.vjp(shifted_sum, a, b)):
            message = refusal(lambda call=call, a=first, b=second: call(a, b)).message
            assert re.search("A and B overlap.*writes to A", message)
    assert np.array_equal(base, np.arange(1.0, 11.0))


def shifted_sum(A, B):
    for i in range(1, len(A)):
        A[i] = A[i - 1] * B[0]
    return np.sum(A)


@pytest.mark.parametrize("option", [{"tape_dtype": "float32"}, {"snapshots": "disk"}])
def test_options_of_the_plan_for_time_loops_are_refused_until_there_is_one(option):
    error = refusal(lambda: dfad.grad(product, **option)(np.ones(2), np.ones(2)), dfad.DfadError)
    (name,) = option
    assert name in error.message
    assert "time loop" in error.message
    assert "leave it out" in error.hint
