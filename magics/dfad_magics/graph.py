"""The dataflow graph as inline SVG: boxes in boxes, laid out in layers, readable on light and on dark ground, no script.

Comes in: the plain data of `Kernel.dataflow()`. A region is a frame round its own layered picture; within a frame a node stands
below everything it reads from. Edges that lead back are drawn, but do not count for the layers.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

LETTER, LINE, PAD, GAP, LAYER = 6.7, 24.0, 12.0, 16.0, 30.0
LIMIT = 150
"""More nodes than this make no picture that anyone reads."""

REGIONS = frozenset({"loop", "while", "branch", "block", "scheduled"})


@dataclass(frozen=True)
class Box:
    """A node with its place; `x` and `y` are of its left upper corner."""

    key: str
    kind: str
    label: str
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    inside: tuple["Box", ...] = field(default=())


def svg(flow: Mapping[str, Any]) -> str:
    """Draw a dataflow graph.

    Parameters
    ----------
    flow : mapping
        `nodes`: dicts of `id kind label parent`; `edges`: dicts of `source target memlet`.

    Returns
    -------
    str
        An `<svg>` element, or a sentence where the graph is empty or too large to draw.
    """
    nodes, edges = flow["nodes"], flow["edges"]
    if not nodes:
        return "<p>The graph is empty.</p>"
    if len(nodes) > LIMIT:
        return f"<p>The graph has {len(nodes)} nodes and {len(edges)} edges: too many to draw.</p>"
    whole = _shifted(_arranged("", nodes, edges), PAD, PAD)
    boxes = {box.key: box for box in _flat(whole.inside)}
    wires = "".join(_wire(boxes[str(edge["source"])], boxes[str(edge["target"])], str(edge.get("memlet") or "")) for edge in edges)
    width, height = whole.width + 2 * PAD, whole.height + 2 * PAD
    drawn = "".join(map(_drawn, boxes.values()))
    arrow = f"dfad-arrow-{zlib.crc32((drawn + wires).encode()):08x}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="dataflow graph" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="monospace" font-size="11" fill="none" stroke="currentColor">'
        f"{_ARROW}{drawn}{wires}</svg>".replace("ARROW", arrow)
    )


_ARROW = (
    '<defs><marker id="ARROW" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto-start-reverse">'
    '<path d="M0 0L8 4L0 8z" fill="currentColor" stroke="none"/></marker></defs>'
)


def _arranged(key: str, nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]]) -> Box:
    """The region `key` ("" for the whole) with what it holds, laid out at the origin."""
    parents = {str(node["id"]): _parent(node) for node in nodes}
    own = [str(node["id"]) for node in nodes if _parent(node) == key]
    title = next((node for node in nodes if str(node["id"]) == key), None)
    inside = {child: _arranged(child, nodes, edges) if child in parents.values() else _leaf(nodes, child) for child in own}
    layers = _layers(own, list(_lifted(own, parents, edges)))
    return _stacked(key, title, [[inside[child] for child in layer] for layer in layers])


def _parent(node: Mapping[str, Any]) -> str:
    parent = node.get("parent")
    return "" if parent is None else str(parent)


def _leaf(nodes: Sequence[Mapping[str, Any]], key: str) -> Box:
    node = next(node for node in nodes if str(node["id"]) == key)
    label = _short(str(node["label"]), 44)
    return Box(key, str(node["kind"]), label, max(34.0, len(label) * LETTER + 2 * PAD), LINE)


def _lifted(own: Sequence[str], parents: Mapping[str, str], edges: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    """The edges between different children of one region, those from and to their insides included."""
    children = set(own)
    for edge in edges:
        source, target = (_within(str(edge[end]), children, parents) for end in ("source", "target"))
        if source and target and source != target:
            yield source, target


def _within(key: str, children: set[str], parents: Mapping[str, str]) -> str:
    """The child of the region that holds `key`, or "" where the region does not hold it."""
    while key and key not in children:
        key = parents.get(key, "")
    return key


def _layers(keys: Sequence[str], edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Longest-path layers over the edges that lead forward, each layer ordered by the mean place of what it reads."""
    order = {key: number for number, key in enumerate(keys)}
    forward = [(a, b) for a, b in dict.fromkeys(edges) if order[a] < order[b]]
    depth = dict.fromkeys(keys, 0)
    for key in keys:
        depth[key] = max((depth[a] + 1 for a, b in forward if b == key), default=0)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for key in keys:
        layers[depth[key]].append(key)
    return _ordered(layers, forward)


def _ordered(layers: list[list[str]], forward: Sequence[tuple[str, str]]) -> list[list[str]]:
    place: dict[str, float] = {}
    sources = defaultdict(list)
    for a, b in forward:
        sources[b].append(a)
    done = []
    for layer in layers:
        wished = {key: _mean([place[a] for a in sources[key] if a in place], number / len(layer)) for number, key in enumerate(layer)}
        done.append(sorted(layer, key=lambda key: wished[key]))
        place.update({key: (number + 0.5) / len(layer) for number, key in enumerate(done[-1])})
    return done


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _stacked(key: str, title: Mapping[str, Any] | None, layers: Sequence[Sequence[Box]]) -> Box:
    """Layers one below the other, each centred, in a frame with room for its title."""
    label = "" if title is None else _short(str(title["label"]), 60)
    head = LINE if title is not None else 0.0
    widths = [sum(box.width for box in layer) + GAP * (len(layer) - 1) for layer in layers]
    width = max([*widths, len(label) * LETTER]) + 2 * PAD
    placed: list[Box] = []
    y = head + PAD
    for layer, wide in zip(layers, widths, strict=True):
        x = (width - wide) / 2
        for box in layer:
            placed.append(_shifted(box, x, y))
            x += box.width + GAP
        y += max(box.height for box in layer) + LAYER
    return Box(key, "" if title is None else str(title["kind"]), label, width, y - LAYER + PAD, inside=tuple(placed))


def _shifted(box: Box, x: float, y: float) -> Box:
    return replace(box, x=box.x + x, y=box.y + y, inside=tuple(_shifted(child, x, y) for child in box.inside))


def _flat(boxes: Iterable[Box]) -> Iterable[Box]:
    for box in boxes:
        yield box
        yield from _flat(box.inside)


def _drawn(box: Box) -> str:
    """Regions are frames, arrays ellipses, computations rectangles: the shape tells them apart, the tint only helps."""
    text = escape(box.label)
    if box.inside or box.kind in REGIONS:
        frame = _rectangle(box, 8, 'stroke-opacity="0.45" fill="currentColor" fill-opacity="0.035"')
        return f'{frame}<text x="{box.x + PAD:.1f}" y="{box.y + 16:.1f}" fill="currentColor" stroke="none" font-weight="bold">{text}</text>'
    middle, centre = box.x + box.width / 2, box.y + box.height / 2
    label = f'<text x="{middle:.1f}" y="{centre + 4:.1f}" text-anchor="middle" fill="currentColor" stroke="none">{text}</text>'
    if box.kind == "access":
        radii = f'rx="{box.width / 2:.1f}" ry="{box.height / 2:.1f}"'
        shape = f'<ellipse cx="{middle:.1f}" cy="{centre:.1f}" {radii} fill="#3d7fd9" fill-opacity="0.16"/>'
    else:
        shape = _rectangle(box, 3, 'fill="#d98a2b" fill-opacity="0.16"' + (' stroke-width="2"' if box.kind == "library" else ""))
    return shape + label


def _rectangle(box: Box, radius: float, paint: str) -> str:
    return f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="{radius}" {paint}/>'


def _wire(source: Box, target: Box, memlet: str) -> str:
    """An arrow from box to box: down between their facing sides, or round the right where it leads back."""
    x0, x1 = source.x + source.width / 2, target.x + target.width / 2
    y0, y1 = source.y + source.height, target.y
    if y1 > y0:
        bend = (y1 - y0) / 2
        path = f"M{x0:.1f} {y0:.1f}C{x0:.1f} {y0 + bend:.1f} {x1:.1f} {y1 - bend:.1f} {x1:.1f} {y1:.1f}"
    else:
        x0, x1 = source.x + source.width, target.x + target.width
        y0, y1 = source.y + source.height / 2, target.y + target.height / 2
        path = f"M{x0:.1f} {y0:.1f}C{x0 + 26:.1f} {y0:.1f} {x1 + 26:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    line = f'<path d="{path}" stroke-opacity="0.7" marker-end="url(#ARROW)"><title>{escape(memlet)}</title></path>'
    return line + _memlet((x0 + x1) / 2, (y0 + y1) / 2, memlet)


def _memlet(x: float, y: float, memlet: str) -> str:
    if not memlet:
        return ""
    text = escape(_short(memlet, 18))
    return f'<text x="{x + 3:.1f}" y="{y + 3:.1f}" font-size="9" fill="currentColor" fill-opacity="0.8" stroke="none">{text}</text>'


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
