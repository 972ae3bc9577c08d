"""Tidy: no empty regions, no Block inside a Block.

In: a PRIMAL or PLANNED Program. Out: the same with every Loop, Branch or Block that holds nothing removed, and inner plain Blocks opened
into the Block round them (their arrays with them, unless that Block computes their shapes); the forward and the reverse Block of a PLANNED
one stay. What stays true: every value, the order of statements.
"""

from __future__ import annotations

from dataclasses import replace

from dfad.ir.nodes import Array, Block, Branch, Loop, Node, Program, Stage
from dfad.ir.walk import rewrite, rewrite_block, shape_symbols, walk, writes


def tidy(program: Program) -> Program:
    """The Program without empty regions."""
    if program.stage is Stage.PRIMAL:
        return replace(program, body=rewrite_block(program.body, _open))
    body = replace(program.body, body=tuple(rewrite(sweep, _open) for sweep in program.body.body))
    return replace(program, body=body)


def _open(node: Node) -> Node | tuple[Node, ...]:
    match node:
        case Loop():
            return node if node.body.body else ()
        case Branch():
            return node if node.then.body or node.orelse.body else ()
        case Block():
            return _opened(node)
        case _:
            return node


def _opened(block: Block) -> Block:
    arrays = list(block.arrays)
    body: list[Node] = []
    for node in block.body:
        if isinstance(node, Block) and not _is_sized_inside(node.arrays, block):
            arrays += node.arrays
            body += node.body
        else:
            body.append(node)
    is_same = len(body) == len(block.body) and all(new is old for new, old in zip(body, block.body, strict=True))
    return block if is_same else Block(tuple(arrays), tuple(body))


def _is_sized_inside(arrays: tuple[Array, ...], block: Block) -> bool:
    """Whether a shape names an integer scalar that gets its value in the block, and so has none where its arrays begin to live."""
    named = {item.name for array in arrays for item in shape_symbols(array)}
    return bool(named) and any(memlet.array in named for node in walk(block) for memlet in writes(node))
