"""Comparisons of arrays, functions of elements made of others, reductions past NaN, sequences by ratios."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed


def close_elements(x, y):
    s = 0.0
    if np.allclose(x, x + 1e-12) and not np.allclose(x, y, atol=0.01):
        s = np.sum(x * y)
    return s, np.where(np.isclose(x, y, rtol=0.5), x * x, y), np.isclose(x[0], y[0])


def equal_arrays(x, y):
    s = 0.0
    if np.array_equal(x, x * 1.0) and not np.array_equal(x, y):
        s = np.sum(x * y)
    return s, np.array_equal(x, y[1:])


def steps_and_sincs(x, y):
    return np.heaviside(x, 0.5) * x, np.sinc(x), np.sinc(x[0] * y[0]), np.fix(3.0 * x) * y


def sums_of_exponentials(x, y):
    return np.logaddexp(x, y), np.logaddexp(x[0], 2.0) * y, np.logaddexp(0.0, 50.0 * x)


def extremes_past_nan(x, y):
    z = np.where(y > 0.0, y, np.nan)
    return np.fmax(x, z) * x, np.fmin(z, x), np.fmax(x, 0.25), np.where(np.signbit(x), x, y)


def powers_as_floats(x):
    return np.float_power(x, 2), np.float_power(2, x), np.float_power(x, x)


def replaced_nan(x, y):
    z = np.where(x > 0.0, x, np.nan)
    return np.nan_to_num(z) * y, np.nan_to_num(np.where(y > 0.0, np.inf, y), posinf=2.0, neginf=-3.0) * x, np.nan_to_num(x)


def reductions_past_nan(A):
    B = np.where(A > 0.6, A, np.nan)
    return np.nansum(B), np.nansum(B, axis=0), np.nanmean(B), np.nanmean(A, axis=1), np.nanmax(B), np.nanmin(A, axis=0), np.nanprod(B)


def sequences_by_ratios(a, b):
    return np.logspace(a, b, 4), np.geomspace(a, b, 5), np.logspace(0.0, a, 3, base=2.0), np.geomspace(b, a, 3, endpoint=False)


SIGNED = all_of(signed("n"), signed("n"))

ENTRIES = (
    Entry(close_elements, all_of(array("n"), array("n")), least=1, bits=False),
    Entry(equal_arrays, all_of(array("n"), array("n")), bits=False),
    Entry(steps_and_sincs, SIGNED, least=1, bits=False),
    Entry(sums_of_exponentials, SIGNED, least=1, bits=False),
    Entry(extremes_past_nan, SIGNED),
    Entry(powers_as_floats, array("n"), bits=False),
    Entry(replaced_nan, SIGNED),
    Entry(reductions_past_nan, array(4, "n"), least=1, bits=False),
    Entry(sequences_by_ratios, all_of(number(), number(1.5, 2.5)), bits=False),
)
