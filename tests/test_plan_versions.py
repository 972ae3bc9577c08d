"""Every read of the reverse sweep sees the version that it names, on the whole gallery.

In the ADJOINT Program a Demand is answered from the interpreter's log of the forward sweep, which knows no plan. The PLANNED Program that
keeps everything runs the same statements, each with a Read in place of each Demand: instance by instance both see the same values, bit for
bit, also those that are then multiplied by 0. Where a byte tells what is only compared, or an operand is made of others again, the whole
expressions have the same value. Operands of library operations are left to the comparison of gradients.
"""

import copy
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from dfad.adjoint.reverse import Request, differentiate
from dfad.errors import CompilerBug
from dfad.ir.evaluate import Run
from dfad.ir.nodes import Apply, Demand, Read, Role, Tasklet
from dfad.ir.verify import verify
from dfad.ir.walk import all_arrays, reads, rewrite_block, walk, walk_expression
from dfad.plan.record import record
from tests.adjoint_paths import cotangents, recorded, seed_for, subject
from tests.gallery import GALLERY
from tests.language import PROGRAMS


class Watching(Run):
    """A run that remembers what each Tasklet of `places` sees: by its key, for each instance, its form, the value, and those operands."""

    def __init__(self, program, places):
        super().__init__(program, lambda array, count: None)
        self.places, self.seen = places, defaultdict(list)

    def leaf(self, node):
        if isinstance(node, Tasklet) and node.key in self.places:
            parts = list(walk_expression(node.value))
            operands = [parts[at] for at in self.places[node.key] if at < len(parts)]
            self.seen[node.key].append((form(parts), *(np.asarray(self.value(part)).tobytes() for part in (node.value, *operands))))
        super().leaf(node)


def form(parts):
    """What an expression is made of, but for the cells that it reads."""
    return [part.operation if isinstance(part, Apply) else isinstance(part, Read | Demand) for part in parts]


def is_same(wanted, seen):
    """Whether two statements see the same, operand by operand where they have one form."""
    return wanted == seen if wanted[0] == seen[0] else wanted[1] == seen[1]


def demanding(program):
    """By key, the places of the Demands in the expression of each Tasklet that has any."""
    found = {}
    for node in walk(program.body):
        if isinstance(node, Tasklet):
            places = [at for at, part in enumerate(walk_expression(node.value)) if isinstance(part, Demand)]
            found |= {node.key: places} if places else {}
    return found


def watched(program, places, given):
    run = Watching(program, places)
    with np.errstate(all="ignore"):
        run.enter(copy.deepcopy(given))
        run.sweep()
    return run.seen


def seen_by_both(name, size, change=lambda program: program):
    """What the demanding Tasklets see in the ADJOINT and in the PLANNED Program."""
    entry = GALLERY[name]
    one = subject(entry.function, entry.make(max(size, entry.least), np.random.default_rng(size)))
    found = []
    for of in one.kinds if one.active else ():
        outputs = one.results if of is None else of
        adjoint = verify(differentiate(one.primal, Request(one.active, outputs)))
        given = {key: value for key, value in one.arguments.items() if value is not None}
        given |= {hidden.name: hidden.get() for hidden in one.lowered.hidden}
        arrays = {array.name: array for array in adjoint.parameters}
        with np.errstate(all="ignore"):
            floats = [w for w, out in zip(cotangents(one, of), one.outputs(of), strict=True) if np.asarray(out).dtype.kind == "f"]
        given |= {f"{out}_seed": seed_for(w, arrays[f"{out}_seed"]) for out, w in zip(outputs, floats, strict=True)}
        places = demanding(adjoint)
        found.append((watched(adjoint, places, given), watched(change(verify(record(adjoint))), places, given)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GALLERY))
def test_every_read_sees_the_version_that_it_names(name):
    for size in (1, 4):
        for wanted, seen in seen_by_both(name, size):
            assert wanted.keys() == seen.keys()
            for key, instances in wanted.items():
                assert len(seen[key]) == len(instances)
                assert all(map(is_same, instances, seen[key])), f"{name}, size {size}: {key}"


def without_restores(program):
    """The Program without the Tasklets that bring recorded values back."""
    tapes = {name for name, array in all_arrays(program).items() if array.role is Role.TAPE}

    def restores(node):
        return isinstance(node, Tasklet) and {memlet.array for memlet in reads(node)} & tapes and node.write.array not in tapes

    body = rewrite_block(program.body, lambda node: () if restores(node) else node)
    assert body is not program.body
    return replace(program, body=body)


def test_a_restore_that_is_not_there_is_seen():
    [(wanted, seen), *_] = seen_by_both("loop_nonlinear_sweeps", 5, without_restores)
    assert wanted
    assert any(seen[key] != instances for key, instances in wanted.items())


def test_an_array_that_is_read_before_it_is_filled_is_a_bug(monkeypatch):
    """Were what is restored not put before what is computed from it, the second look at the plan would tell."""
    entry = PROGRAMS["product_of_three_and_its_elements"]
    case = subject(entry.function, entry.make(2, np.random.default_rng(0)))
    assert recorded(case, None, case.active)
    monkeypatch.setattr("dfad.plan.record._operands", lambda _: iter(()))
    with pytest.raises(CompilerBug, match="before it is filled"):
        recorded(case, None, case.active)
