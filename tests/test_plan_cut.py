"""The least cut against all subsets, on random graphs."""

import itertools
import random

import pytest

from dfad.plan.cut import least_cut


def is_cut(chosen, edges, sources, sinks):
    todo, seen = [vertex for vertex in sources if vertex not in chosen], set()
    while todo:
        here = todo.pop()
        if here in sinks:
            return False
        seen.add(here)
        todo += [second for first, second in edges if first == here and second not in chosen and second not in seen]
    return True


@pytest.mark.parametrize("seed", range(60))
def test_no_subset_cuts_for_less(seed):
    chance = random.Random(seed)
    vertices = range(chance.randint(1, 7))
    weights = {vertex: chance.randint(1, 9) for vertex in vertices}
    edges = [pair for pair in itertools.combinations(vertices, 2) if chance.random() < 0.4]
    sources = [vertex for vertex in vertices if chance.random() < 0.4]
    sinks = [vertex for vertex in vertices if chance.random() < 0.4]
    found = least_cut(weights, edges, sources, sinks)
    subsets = itertools.chain.from_iterable(itertools.combinations(vertices, size) for size in range(len(vertices) + 1))
    least = min(sum(weights[v] for v in subset) for subset in subsets if is_cut(set(subset), edges, sources, sinks))
    assert is_cut(found, edges, sources, sinks)
    assert sum(weights[vertex] for vertex in found) == least


def test_of_equal_cuts_the_one_nearest_to_what_is_wanted_is_taken():
    assert least_cut({"a": 8, "t": 8, "u": 8}, [("a", "t"), ("t", "u")], ["a"], ["u"]) == {"u"}
    assert least_cut({"a": 8, "t": 8, "u": 8}, [("a", "t"), ("t", "u")], ["a"], ["u", "t"]) == {"t"}


def test_what_can_be_computed_for_nothing_is_not_stored():
    assert least_cut({"t": 8, "u": 1}, [("t", "u")], [], ["u"]) == frozenset()
