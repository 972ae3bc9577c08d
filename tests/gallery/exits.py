"""Early ways out: break, continue, else of a loop, return inside loops and branches."""

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, value


def exit_break(x):
    """The sum up to the first negative element."""
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0.0:
            break
        s += x[i]
    return s, i


def exit_break_in_the_middle(x):
    """Statements before and after a break."""
    s = 0.0
    for i in range(len(x)):
        s += 1.0
        if x[i] < 0.0:
            if x[i] < -0.5:
                s += 10.0
                break
            s += 100.0
        s += x[i]
    return s


def exit_continue(x):
    """Positive elements only."""
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0.0:
            continue
        s += x[i]
    return s


def exit_continue_nested(x):
    """A continue below another if."""
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0.5:
            s += 1.0
            if x[i] < 0.0:
                continue
            s += 2.0
        s += x[i]
    return s


def exit_loop_else(x):
    """The else of a loop runs when no break did."""
    s = 0.0
    for i in range(len(x)):
        if x[i] < -0.9:
            s = x[i]
            break
    else:
        s = 5.0
    return s


def exit_inner_break(A):
    """A break leaves its own loop only."""
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j] > 0.5:
                break
            s += A[i, j]
        s *= 0.5
        for j in range(A.shape[1]):
            if A[i, j] < 0.0:
                continue
            if A[i, j] > 0.8:
                break
            s -= A[i, j]
    return s


def exit_returns_by_branch(a, b):
    """A return on each side."""
    if a > b:
        return a * b
    elif a > 1.0:
        return a + b
    return a - b


def exit_returns_early(x, c):
    """A return before the work."""
    if c < 1.0:
        return 0.0
    s = 0.0
    for i in range(len(x)):
        s += x[i] * c
    return s


def exit_returns_from_loop(x):
    """A search: the index of the first negative element and the sum before it."""
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0.0:
            return s, i
        s += x[i]
    return s, -1


def exit_returns_from_nested_loops(A, c):
    """A return out of two loops."""
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s += A[i, j]
            if s > c:
                return s * 2.0
        s += 0.125
    return s


def exit_returns_nothing(x, c):
    """A bare return."""
    if c < 1.0:
        return
    x[0] = 7.0
    for i in range(len(x)):
        if x[i] < 0.0:
            return
        x[i] += 1.0


def exit_returns_arrays(x, c):
    """An array on each path."""
    if c < 1.0:
        return x + 1.0
    return x * 2.0


def clamp(v, low, high):
    if v < low:
        return low
    if v > high:
        return high
    return v


def exit_in_helper(x):
    """A helper with early returns."""
    s = 0.0
    for i in range(len(x)):
        s += clamp(x[i], -0.25, 0.5)
    return s


def exit_by_flag(x, reverse):
    """A return chosen when the kernel is compiled."""
    if reverse:
        return x[::-1] * 1.0
    return x * 2.0


def exit_bounded_newton(a, limit):
    """Newton's method with a bounded number of trips."""
    x = 1.0
    for _k in range(limit):
        f = x * x - a
        if abs(f) < 1e-10:
            break
        x -= f / (2.0 * x)
    return x


def exit_barrier_paths(S0, normals):
    """Paths that end at a barrier."""
    payoff = 0.0
    for p in range(normals.shape[0]):
        S = S0
        for t in range(normals.shape[1]):
            S *= 1.0 + 0.1 * normals[p, t]
            if S < 0.9:
                S = 0.0
                break
        payoff += max(S - 1.0, 0.0)
    return payoff / max(normals.shape[0], 1)


def exit_over_tuple(x):
    """A break out of an unrolled loop."""
    s = 0.0
    for c in (1.0, -2.0, 3.0):
        if s + c < x[0]:
            break
        s += c
    return s


ENTRIES = (
    Entry(exit_break, signed("n"), least=1),
    Entry(exit_break_in_the_middle, signed("n")),
    Entry(exit_continue, signed("n")),
    Entry(exit_continue_nested, signed("n")),
    Entry(exit_loop_else, signed("n")),
    Entry(exit_inner_break, signed("n", "n+1")),
    Entry(exit_returns_by_branch, all_of(number(), number())),
    Entry(exit_returns_early, all_of(array("n"), value(1.25))),
    Entry(exit_returns_from_loop, signed("n")),
    Entry(exit_returns_from_nested_loops, all_of(array("n", "n"), value(3.0))),
    Entry(exit_returns_nothing, all_of(signed("n"), value(1.25)), least=1),
    Entry(exit_returns_arrays, all_of(array("n"), number())),
    Entry(exit_in_helper, signed("n")),
    Entry(exit_by_flag, all_of(array("n"), value(True))),
    Entry(exit_bounded_newton, all_of(number(), value(20))),
    Entry(exit_barrier_paths, all_of(value(1.0), signed("n", "n+1"))),
    Entry(exit_over_tuple, signed("n"), least=1),
)
