"""Curves as one SVG file: a row of panels for each network."""

import html
import os
from typing import NamedTuple

# Told apart by people who see few colours, on light and on dark.
COLOURS = {"callagent": "#0072b2", "chromium": "#d55e00", "aiortc": "#009e73"}
WIDTH, HEIGHT, LEFT, TOP, GAP = 250, 90, 50, 40, 50
STYLE = """text { font: 11px sans-serif; fill: #333 } .frame { fill: none; stroke: #ccc } .name { font-weight: bold }
@media (prefers-color-scheme: dark) { svg { background: #1b1b1b } text { fill: #ddd } .frame { stroke: #555 } }"""


class Curve(NamedTuple):
    kind: str
    # (s, value)
    points: list


class Panel(NamedTuple):
    title: str
    curves: list
    # The length of the axis of time, in s.
    seconds: float


def write_svg(path, rows):
    """Writes rows of (name, panels)."""
    width = LEFT + max(len(panels) for _, panels in rows) * (WIDTH + GAP)
    height = TOP + len(rows) * (HEIGHT + GAP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"><style>{STYLE}</style>', legend()]
    for number, (name, panels) in enumerate(rows):
        top = TOP + number * (HEIGHT + GAP)
        parts.append(f'<text class="name" x="{LEFT}" y="{top - 4}">{html.escape(name)}</text>')
        for column, panel in enumerate(panels):
            parts.append(drawing(panel, LEFT + column * (WIDTH + GAP), top, is_first=number == 0))
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write("\n".join([*parts, "</svg>\n"]))


def legend():
    return "".join(
        f'<line x1="{LEFT + 110 * number}" x2="{LEFT + 20 + 110 * number}" y1="10" y2="10" stroke="{colour}" stroke-width="2"/>'
        f'<text x="{LEFT + 26 + 110 * number}" y="14">{kind}</text>' for number, (kind, colour) in enumerate(COLOURS.items()))


def drawing(panel, left, top, is_first):
    most = max((value for curve in panel.curves for _, value in curve.points), default=0) or 1
    parts = [
        f'<rect class="frame" x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text x="{left - 4}" y="{top + 9}" text-anchor="end">{most:.0f}</text>',
        f'<text x="{left - 4}" y="{top + HEIGHT}" text-anchor="end">0</text>',
        f'<text x="{left + WIDTH}" y="{top + HEIGHT + 13}" text-anchor="end">{panel.seconds:.0f} s</text>']
    if is_first:
        parts.append(f'<text x="{left + WIDTH}" y="{top - 4}" text-anchor="end">{panel.title}</text>')
    for curve in panel.curves:
        points = " ".join(
            f"{left + at / panel.seconds * WIDTH:.1f},{top + HEIGHT - value / most * HEIGHT:.1f}"
            for at, value in curve.points if 0 <= at <= panel.seconds)
        parts.append(f'<polyline fill="none" stroke="{COLOURS[curve.kind]}" stroke-width="1.5" points="{points}"/>')
    return "\n".join(parts)
