"""Comprehensions and generator expressions, where the elements go straight into a call."""

import math

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, value


def array_of_a_comprehension(x):
    return np.array([v * v for v in x])


def sum_of_a_comprehension(x):
    return sum([v * v for v in x])


def sum_of_a_generator(x):
    return sum(v * v for v in x)


def neighbours_in_a_comprehension(x):
    y = np.array([x[i] * x[i + 1] for i in range(len(x) - 1)])
    return y @ y


def integers_from_a_comprehension(x):
    return np.array([i * i for i in range(len(x))]) @ x


def truths_from_a_comprehension(x):
    return np.array([v > 0.5 for v in x]) * x


def comprehension_with_a_condition(x, a):
    return np.array([v * a for v in x if v > 0.3 * a])


def comprehension_with_two_loops(A, x):
    return np.sum([A[i, j] * x[j] for i in range(len(x)) for j in range(i)])


def comprehension_over_a_zip(x, a):
    return np.mean([abs(u - v) * a for u, v in zip(x, x[::-1] ** 2)])  # noqa: B905


def comprehension_over_an_enumeration(x):
    return np.array([k * v for k, v in enumerate(x)])


def comprehension_with_two_conditions(x):
    return np.array([x[i] for i in range(len(x)) if i % 2 == 0 if x[i] > 0.2])


def comprehension_over_its_own_name(x):
    return sum([x * x for x in x])


def comprehension_of_calls(x, a):
    def f(v):
        return v * a + v

    return sum(f(v) for v in x) + np.max([x[0], f(x[1])])


def comprehension_in_a_comprehension(x, a):
    return sum([sum([u * v * a for u in x]) for v in x])


def matrix_of_a_comprehension(x):
    return np.array([[x[i] * x[j] + i for j in range(len(x))] for i in range(3)])


def rows_of_a_comprehension(A, x):
    return np.array([A[i] * x for i in range(len(x))])


def pairs_of_a_comprehension(x):
    return np.array([[x[i], 2 * x[i]] for i in range(len(x))]), np.array([(v, k) for k, v in enumerate(x)])


def elements_of_rows(A):
    return np.array([[u * u for u in row] for row in A])


def rows_made_by_a_function(x, a):
    def row(t):
        return np.array([t, t * t, a])

    return np.array([row(v) for v in x])


def windows_of_a_comprehension(x, n):
    return np.array([[x[i + j] for j in range(n)] for i in range(len(x) - n + 1)])


def products_of_some_rows(A, x):
    return np.sum([A[i] @ x for i in range(len(x)) if x[i] > 0.2])


def norms_of_rows(A):
    return np.array([np.sqrt(r @ r) for r in A]) @ np.array([c.sum() for c in A.T])


def stacked_comprehension(A, x):
    return np.vstack([A[i] * x[i] for i in range(len(x))]), np.concatenate([row * row for row in A])


def largest_of_a_comprehension(x):
    return max([v * v for v in x]) + min(v for v in x if v > 0.1)


def largest_of_an_array(x):
    return max(x) * min(x)


def generator_that_ends_early(x):
    return float(any(x[i] > 0.0 for i in range(100))) + x[0]


def generator_that_all_pass(x):
    return all(v < 0.9 for v in x) * x + any([v > 0.8 for v in x])  # noqa: C419


def generator_for_the_module_math(x):
    return math.prod(v for v in x) + math.fsum(v * v for v in x)


def how_many_are_large(x):
    return len([v for v in x if v > 0.5]) * x[0]


def comprehension_as_an_index(x):
    return x[[i for i in range(len(x) - 1, -1, -1)]] * x  # noqa: C416


def comprehension_in_a_loop(x, a):
    s = 0.0
    for t in range(3):
        s += np.sum([v * a * t for v in x])
        a = a * 0.5
    return s


def choice_in_a_comprehension(x):
    return np.array([[1.0 if i == j else x[i] for j in range(len(x))] for i in range(len(x))])


def condition_that_sees_what_elements_write(x, a):
    def put(v):
        x[0] = x[0] - 0.5
        return v * a

    return np.array([put(v) for v in x if x[0] > 0])


def numbers_of_several_types(x):
    return sum([c * c for c in (1, 2.5, True)]) * x[0]


def comprehension_in_an_unrolled_loop(x):
    s = 0.0
    for c in (1, 2.5):
        s += sum([c * i for i in range(3)]) * x[0]
    return s


def inner_loop_with_a_condition(x):
    return np.sum([x[i] * j for i in range(len(x)) for j in range(i, len(x)) if i + j != 2])


def comprehension_over_a_tuple(x):
    return np.array([1.0, 2.0]) @ np.array([x[k] for k in (1, 0)])


def joined_rows_of_an_array(A):
    return np.concatenate(A), np.concatenate(A.T, axis=0), np.hstack(A), np.concatenate(A, axis=None)


def rows_as_they_are(A):
    B = A * 2.0
    V, S = np.vstack(B), np.stack(B, axis=1)
    B[0] = 0.0
    return V, S, np.column_stack(B)


def joined_matrices_of_an_array(A):
    B = np.zeros((2, A.shape[0], A.shape[1]))
    B[0] = A
    B[1] = A * A
    return np.concatenate(B), np.concatenate(B, axis=1), np.hstack(B), np.vstack(B), np.stack(B, axis=2), np.column_stack(B)


ENTRIES = (
    Entry(array_of_a_comprehension, array("n")),
    Entry(sum_of_a_comprehension, array("n"), bits=False, least=1),
    Entry(sum_of_a_generator, array("n"), bits=False, least=1),
    Entry(neighbours_in_a_comprehension, array("n"), bits=False, least=1),
    Entry(integers_from_a_comprehension, array("n"), bits=False, least=1),
    Entry(truths_from_a_comprehension, array("n"), least=1),
    Entry(comprehension_with_a_condition, all_of(array("n"), number())),
    Entry(comprehension_with_two_loops, all_of(array("n", "n"), array("n")), bits=False),
    Entry(comprehension_over_a_zip, all_of(array("n"), number()), bits=False, least=1),
    Entry(comprehension_over_an_enumeration, array("n")),
    Entry(comprehension_with_two_conditions, array("n")),
    Entry(comprehension_over_its_own_name, array("n"), bits=False, least=1),
    Entry(comprehension_of_calls, all_of(array("n"), number()), bits=False, least=2),
    Entry(comprehension_in_a_comprehension, all_of(array("n"), number()), bits=False, least=1),
    Entry(matrix_of_a_comprehension, array("n"), least=3),
    Entry(rows_of_a_comprehension, all_of(array("n", "n"), array("n")), least=1),
    Entry(pairs_of_a_comprehension, array("n"), least=1),
    Entry(elements_of_rows, array("n", "n+1"), least=1),
    Entry(rows_made_by_a_function, all_of(array("n"), number()), least=1),
    Entry(windows_of_a_comprehension, all_of(array("n"), value(3)), least=3),
    Entry(products_of_some_rows, all_of(array("n", "n"), array("n")), bits=False),
    Entry(norms_of_rows, array("n", "n"), bits=False, least=1),
    Entry(stacked_comprehension, all_of(array("n", "n"), array("n")), least=1),
    Entry(largest_of_a_comprehension, array("n"), least=2),
    Entry(largest_of_an_array, signed("n"), least=1),
    Entry(generator_that_ends_early, array("n"), least=1),
    Entry(generator_that_all_pass, array("n"), least=1),
    Entry(generator_for_the_module_math, array("n"), bits=False, least=1),
    Entry(how_many_are_large, array("n"), least=1),
    Entry(comprehension_as_an_index, array("n"), least=1),
    Entry(comprehension_in_a_loop, all_of(array("n"), number()), bits=False),
    Entry(choice_in_a_comprehension, array("n"), least=1),
    Entry(condition_that_sees_what_elements_write, all_of(array("n"), number()), least=1),
    Entry(numbers_of_several_types, array("n"), least=1),
    Entry(comprehension_in_an_unrolled_loop, array("n"), least=1),
    Entry(inner_loop_with_a_condition, array("n"), bits=False),
    Entry(comprehension_over_a_tuple, array("n"), bits=False, least=2),
    Entry(joined_rows_of_an_array, array("n+1", "n"), least=1),
    Entry(rows_as_they_are, array("n", "n"), least=1),
    Entry(joined_matrices_of_an_array, array("n", "n+1"), least=1),
)
