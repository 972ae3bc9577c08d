"""Keywords that NumPy's functions share: where the result goes, the type that it is computed in, the bounds of a clip by name."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, signed


def results_into_arrays(x, y):
    z = np.empty_like(x)
    np.multiply(x, y, out=z)
    np.sin(z, out=z)
    np.add(z[:-1], z[1:], out=z[1:])
    return np.sum(z * z)


def steps_without_new_arrays(u, v):
    for _step in range(3):
        np.multiply(u, 0.5, out=v)
        np.add(v, u * u, out=u)
    return np.sum(u)


def reductions_into_arrays(A, r):
    np.sum(A * A, axis=1, out=r)
    A.max(axis=1, out=r[::-1])
    np.dot(A, np.ones(3), out=r)
    return np.sum(r * r)


def result_of_a_call_with_out(x, y):
    s = x[0] + np.sum(np.exp(x, out=x)) + x[0]
    z = np.add(x, y, out=y)
    z[0] = 2.0
    return s + np.sum(y * y)


def singles(n, rng):
    return (rng.uniform(-1.0, 1.0, n).astype(np.float32),)


def sums_in_another_type(g):
    x = g.astype(np.float64)
    return np.sum(g, dtype=np.float64), g.mean(dtype=np.float64), np.cumsum(x > 0.0, dtype=np.float64) * x, np.prod(x, dtype=float)


def clipped_by_name(x):
    y = x.clip(min=0.1) * x.clip(max=0.5) + np.clip(x, min=-0.2, max=0.3) * x.clip(-0.4, 0.4)
    return np.sum(y * x.clip(0.0) + np.clip(x, None, 0.2) * np.clip(x, a_min=-0.1, a_max=None))


ENTRIES = (
    Entry(results_into_arrays, all_of(array("n"), signed("n")), bits=False),
    Entry(steps_without_new_arrays, all_of(signed("n"), array("n")), bits=False),
    Entry(reductions_into_arrays, all_of(signed("n", 3), array("n")), bits=False),
    Entry(result_of_a_call_with_out, all_of(signed("n"), signed("n")), least=1, bits=False),
    Entry(sums_in_another_type, singles, least=1, bits=False),
    Entry(clipped_by_name, signed("n"), bits=False),
)
