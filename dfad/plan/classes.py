"""What is tape: the class of memory of each array of a gradient Program follows from who uses it.

In: a PLANNED Program of a forward and a reverse sweep. Out: the same in which an array of rank > 0 that is neither a working copy nor a
result nor an adjoint has the role *tape* when the forward sweep writes it and the reverse sweep reads what is left there, else *local*. So
tape is what lives between the sweeps because the reverse reads it. Working copies of arguments and results keep their roles, since the
forward sweep has them anyway.
"""

from __future__ import annotations

from dataclasses import replace

from dfad.ir.nodes import Array, Block, Program, Role
from dfad.ir.walk import reads, rewrite_block, walk, writes
from dfad.plan.afresh import filled_first


def with_tape(program: Program) -> Program:
    """The Program with its kept values as tape; the same object where there are none, or no reverse sweep."""
    match program.body.body:
        case (Block() as forward, Block() as reverse):
            made = {memlet.array for node in walk(forward) for memlet in writes(node)}
            kept = made & {memlet.array for node in walk(reverse) for memlet in reads(node)} - filled_first(reverse, program.body.arrays)
            body = rewrite_block(program.body, lambda node: _classed(node, kept) if isinstance(node, Block) else node)
            return program if body is program.body else replace(program, body=body)
        case _:
            return program


def _classed(block: Block, kept: set[str]) -> Block:
    arrays = tuple(_with_role(array, Role.TAPE if array.name in kept else Role.LOCAL) for array in block.arrays)
    return block if arrays == block.arrays else replace(block, arrays=arrays)


def _with_role(array: Array, role: Role) -> Array:
    if not array.rank or array.role not in (Role.LOCAL, Role.TAPE):
        return array
    return array if array.role is role else replace(array, role=role)
