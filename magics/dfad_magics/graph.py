"""The dataflow graph as inline SVG: boxes in boxes, laid out in layers, readable on light and on dark ground, no script.

Comes in: the plain data of `Kernel.dataflow()`. A region is a frame round its own layered picture; within a frame a node stands
below everything it reads from. Edges that lead back are drawn, but do not count for the layers.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import pairwise
from typing import Any

LETTER, LINE, PAD, GAP, LAYER = 6.7, 24.0, 12.0, 16.0, 30.0
LIMIT = 150
"""More nodes than this make no picture that anyone reads."""

REGIONS = frozenset({"loop", "while", "branch", "block", "scheduled"})


@dataclass(frozen=True)
class Box:
    """A node with its place: `x` and `y` of its left upper corner, `floor` where its layer ends and wires may turn."""

    key: str
    kind: str
    label: str
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    floor: float = 0.0
    inside: tuple["Box", ...] = field(default=())


def svg(flow: Mapping[str, Any]) -> str:
    """Draw a dataflow graph.

    Parameters
    ----------
    flow : mapping
        `nodes`: dicts of `id kind label parent`; `edges`: dicts of `source target memlet`, both ends in one region.

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
    wires = _joined(edges)
    whole = _shifted(_arranged(None, _by_region(nodes), wires), PAD, PAD)
    boxes = {box.key: box for box in _flat(whole.inside)}
    busy = Counter(end for ends in wires for end in ends)
    lines = (_wire(boxes, *ends, memlet, 0.3 if busy[ends[1]] > busy[ends[0]] else 0.65) for ends, memlet in wires.items())
    drawn = "".join(map(_drawn, boxes.values())) + "".join(lines)
    width, height = whole.width + 2 * PAD, whole.height + 2 * PAD
    arrow = f"dfad-arrow-{zlib.crc32(drawn.encode()):08x}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="dataflow graph" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="monospace" font-size="11" fill="none" stroke="currentColor">'
        f"{_ARROW}{drawn}</svg>".replace("ARROW", arrow)
    )


_ARROW = (
    '<defs><marker id="ARROW" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto-start-reverse">'
    '<path d="M0 0L8 4L0 8z" fill="currentColor" stroke="none"/></marker></defs>'
)
Ends = tuple[str, str]
Regions = Mapping[str | None, Sequence[Mapping[str, Any]]]


def _joined(edges: Iterable[Mapping[str, Any]]) -> dict[Ends, str]:
    """One wire for all edges from a node to another, with all their memlets."""
    memlets: dict[Ends, list[str]] = defaultdict(list)
    for edge in edges:
        memlets[str(edge["source"]), str(edge["target"])].append(str(edge.get("memlet") or ""))
    return {ends: ", ".join(dict.fromkeys(texts)) for ends, texts in memlets.items()}


def _by_region(nodes: Iterable[Mapping[str, Any]]) -> Regions:
    regions: dict[str | None, list[Mapping[str, Any]]] = defaultdict(list)
    for node in nodes:
        parent = node.get("parent")
        regions[None if parent is None else str(parent)].append(node)
    return regions


def _arranged(region: Mapping[str, Any] | None, regions: Regions, wires: Iterable[Ends]) -> Box:
    """A region (None: the whole) with what it holds, laid out at the origin; wires that pass a layer have a place in it."""
    own = regions[None if region is None else str(region["id"])]
    boxes = {str(node["id"]): _arranged(node, regions, wires) if str(node["id"]) in regions else _leaf(node) for node in own}
    order = {key: number for number, key in enumerate(boxes)}
    forward = [(a, b) for a, b in wires if a in order and b in order and order[a] < order[b]]
    depth = _depths(list(order), forward)
    steps = list(forward)
    for a, b in forward:
        way = [_passing(a, b, level) for level in range(depth[a] + 1, depth[b])]
        boxes |= {key: Box(key, "passing", "", 14.0, LINE) for key in way}
        depth |= {key: depth[a] + number for number, key in enumerate(way, 1)}
        steps += pairwise([a, *way, b])
    layers: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for key, level in depth.items():
        layers[level].append(key)
    return _stacked(region, [[boxes[key] for key in layer] for layer in _ordered(layers, steps)])


def _passing(source: str, target: str, level: int) -> str:
    """The name of the place where a wire passes a layer."""
    return f"{source} > {target} > {level}"


def _leaf(node: Mapping[str, Any]) -> Box:
    label = _short(str(node["label"]), 44)
    return Box(str(node["id"]), str(node["kind"]), label, max(34.0, len(label) * LETTER + 2 * PAD), LINE)


def _depths(keys: Sequence[str], forward: Sequence[Ends]) -> dict[str, int]:
    """Longest-path layers, each node moved down to just above the first that reads from it."""
    depth = dict.fromkeys(keys, 0)
    for key in keys:
        depth[key] = max((depth[a] + 1 for a, b in forward if b == key), default=0)
    for key in reversed(keys):
        depth[key] = min((depth[b] - 1 for a, b in forward if a == key), default=depth[key])
    return depth


def _ordered(layers: list[list[str]], steps: Iterable[Ends]) -> list[list[str]]:
    """Each layer ordered by the mean place of what it reads from."""
    place: dict[str, float] = {}
    sources = defaultdict(list)
    for a, b in steps:
        sources[b].append(a)
    done = []
    for layer in layers:
        wished = {key: _mean([place[a] for a in sources[key] if a in place], (n + 0.5) / len(layer)) for n, key in enumerate(layer)}
        done.append(sorted(layer, key=lambda key: wished[key]))
        place.update({key: (number + 0.5) / len(layer) for number, key in enumerate(done[-1])})
    return done


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _stacked(region: Mapping[str, Any] | None, layers: Sequence[Sequence[Box]]) -> Box:
    """Layers one below the other, each centred, in a frame with room for its title."""
    key, kind, title = ("", "", "") if region is None else (str(region["id"]), str(region["kind"]), _short(str(region["label"]), 60))
    widths = [sum(box.width for box in layer) + GAP * (len(layer) - 1) for layer in layers]
    width = max([*widths, len(title) * LETTER]) + 2 * PAD
    placed: list[Box] = []
    y = (LINE if region is not None else 0.0) + PAD
    for layer, wide in zip(layers, widths, strict=True):
        x, floor = (width - wide) / 2, y + max(box.height for box in layer)
        for box in layer:
            placed.append(replace(_shifted(box, x, y), floor=floor))
            x += box.width + GAP
        y = floor + LAYER
    return Box(key, kind, title, width, y - LAYER + PAD, inside=tuple(placed))


def _shifted(box: Box, x: float, y: float) -> Box:
    return replace(box, x=box.x + x, y=box.y + y, floor=box.floor + y, inside=tuple(_shifted(child, x, y) for child in box.inside))


def _flat(boxes: Iterable[Box]) -> Iterable[Box]:
    for box in boxes:
        yield box
        yield from _flat(box.inside)


def _drawn(box: Box) -> str:
    """Regions are frames, arrays ellipses, computations rectangles: the shape tells them apart, the tint only helps."""
    text = escape(box.label)
    if box.kind == "passing":
        return ""
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


def _wire(boxes: Mapping[str, Box], source: str, target: str, memlet: str, at: float) -> str:
    """An arrow from box to box, through the places where it passes a layer; round the right where it leads back.

    Its text stands at the part `at` of the way across the first layer, nearer to the end that has fewer wires.
    """
    a, b = boxes[source], boxes[target]
    x, y = a.x + a.width / 2, a.y + a.height
    if b.y < y:
        x, y, x1, y1 = a.x + a.width, a.y + a.height / 2, b.x + b.width, b.y + b.height / 2
        path = f"M{x:.1f} {y:.1f}C{x + 26:.1f} {y:.1f} {x1 + 26:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
        return _arrow(path, memlet) + _memlet(max(x, x1) + 14, (y + y1) / 2, memlet)
    way = [key for key in (_passing(source, target, level) for level in range(len(boxes))) if key in boxes]
    path, label = f"M{x:.1f} {y:.1f}L{x:.1f} {a.floor:.1f}", ""
    y = a.floor
    for box in [*(boxes[key] for key in way), b]:
        x1, bend = box.x + box.width / 2, (box.y - y) / 2
        path += f"C{x:.1f} {y + bend:.1f} {x1:.1f} {box.y - bend:.1f} {x1:.1f} {box.y:.1f}"
        label = label or _memlet(x + (x1 - x) * at**2 * (3 - 2 * at), y + 2 * bend * at, memlet)
        x, y = x1, box.floor
        path += "" if box is b else f"L{x:.1f} {y:.1f}"
    return _arrow(path, memlet) + label


def _arrow(path: str, memlet: str) -> str:
    return f'<path d="{path}" stroke-opacity="0.7" marker-end="url(#ARROW)"><title>{escape(memlet)}</title></path>'


def _memlet(x: float, y: float, memlet: str) -> str:
    if not memlet:
        return ""
    text = escape(_short(memlet, 30))
    return f'<text x="{x + 3:.1f}" y="{y + 3:.1f}" font-size="9" fill="currentColor" fill-opacity="0.8" stroke="none">{text}</text>'


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
