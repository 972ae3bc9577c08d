"""The module math, whole, and the builtins that go over numbers: one small program for each family."""

import math

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, integers, number, signed


def logarithms_to_any_base(x, base):
    s = 0.0
    for v in x:
        s += math.log(v, 2) + math.log(v, base) * math.log(v)
    return s


def lengths_of_vectors(x, a, b):
    s = math.hypot(a, b) + math.hypot(a, b, 2.0) + math.hypot(a) + math.hypot()
    for i in range(1, len(x)):
        s += math.dist((x[i], a), (x[i - 1], b)) * math.hypot(x[i], x[i - 1], a, b)
    return s


def distance_of_two_rows(A):
    return math.dist(A[0], A[1] + 2.0)


def gamma_functions(x):
    s = 0.0
    for v in x:
        s += math.gamma(v + 0.5) * v - math.lgamma(3.0 * v)
    return s


def stirlings_error(k, a):
    s = 0.0
    for n in range(1, k + 3):
        s += (math.lgamma(n + a) - n * math.log(n)) ** 2
    return s


def remainders_of_floats(x, a):
    s = 0.0
    for v in x:
        s += math.fmod(7.0 * v, a) * v + math.fmod(-7.0 * v, a) + math.remainder(7.0 * v, a) * v
    return s


def remainders_of_arrays(x, p):
    return np.fmod(7.0 * x, 0.3) * x, np.fmod(p, 3), np.fmod(-p, 4), np.sum(np.fmod(x, 2) * x)


def signs_from_elsewhere(x, y):
    z = np.copysign(x * x, y)
    for i in range(len(x)):
        z[i] += math.copysign(x[i], -1.0) * y[i] + math.copysign(2.0, y[i])
    return np.sum(z * y)


def next_floats(x):
    z = np.nextafter(x, 2.0)
    for i in range(len(x)):
        z[i] += math.nextafter(x[i], -math.inf) + math.ulp(x[i])
    return z * x


def parts_of_numbers(x):
    s = 0.0
    for v in x:
        fraction, whole = math.modf(3.0 * v)
        mantissa, exponent = math.frexp(v)
        s += fraction * v + whole + mantissa * v * exponent + math.ldexp(v, exponent + 2)
    return s


def counted_arrangements(k, x):
    n = k + 4
    t = math.factorial(n) + math.comb(n, 2) * math.perm(n, 2) + math.perm(n) - math.comb(2, n)
    return np.sum(x * x) * t, math.factorial(0), math.comb(n, n), math.perm(n, 0)


def divisors_and_roots(p, k, x):
    s = 0
    for v in p:
        s += math.gcd(v, 12) + math.lcm(v, 4) + math.isqrt(abs(v) * k)
    return np.sum(x) * s, math.gcd(), math.gcd(12, 18, 27), math.lcm(2, 3, 4), math.isqrt(2**52 - 1)


def sums_of_sequences(x, a):
    return math.fsum(x) * a + math.fsum([x[0], a, 1.0]), math.prod(x), math.prod([a, x[0], 2.0], start=3.0), math.prod([2, 3])


def near_numbers(x, a):
    s = 0.0
    for v in x:
        if math.isclose(v, a) or math.isclose(v, a, rel_tol=0.1, abs_tol=0.05):
            s += v * v
        else:
            s -= a * v
    return s


def builtin_sums(x, A, a):
    rows = sum(A)
    return sum(x) * a, sum([a, x[0], 2]), sum(x, a), sum((1, 2)), np.sum(rows * rows)


def builtin_any_and_all(x, a):
    s = a
    if any(x > 0.5) and not all(x > 0.9):
        s = s * 2.0
    if any([a > 10.0, x[0] > 10.0]) or all((a > 0.0, x[0] > 0.0)):
        s = s + x[0] * x[0]
    return s


def quotient_and_remainder(x, p, k):
    q, r = divmod(5.0 * x[0], 0.3)
    i, j = divmod(k + 7, 3)
    u, v = np.divmod(p, 4)
    return q + r * x[0], i, j, u, v


ENTRIES = (
    Entry(logarithms_to_any_base, all_of(array("n"), number(1.5, 3.0)), bits=False),
    Entry(lengths_of_vectors, all_of(array("n"), number(0.1, 0.9), number(1.5, 3.0)), bits=False),
    Entry(distance_of_two_rows, array(2, "n"), least=1, bits=False),
    Entry(gamma_functions, array("n"), bits=False),
    Entry(stirlings_error, all_of(lambda n, rng: (n,), number(0.1, 0.9)), bits=False),
    Entry(remainders_of_floats, all_of(array("n"), number(0.3, 0.9)), bits=False),
    Entry(remainders_of_arrays, all_of(array("n"), integers("n")), bits=False),
    Entry(signs_from_elsewhere, all_of(signed("n"), signed("n")), bits=False),
    Entry(next_floats, array("n"), bits=False),
    Entry(parts_of_numbers, array("n"), bits=False),
    Entry(counted_arrangements, all_of(lambda n, rng: (n,), array("n")), bits=False),
    Entry(divisors_and_roots, all_of(integers("n"), lambda n, rng: (n,), array("n")), bits=False),
    Entry(sums_of_sequences, all_of(array("n"), number(0.1, 0.9)), least=1, bits=False),
    Entry(near_numbers, all_of(array("n"), number(0.1, 0.9)), bits=False),
    Entry(builtin_sums, all_of(array("n"), array("n", 3), number(0.1, 0.9)), least=1, bits=False),
    Entry(builtin_any_and_all, all_of(array("n"), number(0.1, 0.9)), least=1, bits=False),
    Entry(quotient_and_remainder, all_of(array("n"), integers("n"), lambda n, rng: (n,)), least=1, bits=False),
)
