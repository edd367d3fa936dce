"""Small charts as inline SVG: no style attributes, no script; colours come from classes in the stylesheet.

Each has a title and a description that say in words what it shows; the page puts a table of the same numbers
beside it. Sizes are in CSS pixels and shrink with the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from web.filters import decimal

WIDTH, HEIGHT = 540, 150
TOP, BOTTOM, LEFT = 18, 22, 40  # room for the labels
WIDE_SLOT, FEW = 72, 7  # so many bars are labelled one by one
SPARK_WIDTH, SPARK_HEIGHT = 90, 18
LETTER, LETTER_HEIGHT = 18, 15  # room for the letter at the end of a line


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its count, >= 0, and what stands below it."""

    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Step:
    """The value (papers) that holds from a moment on."""

    at: datetime
    value: float


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart: the letter that names it, and its values >= 0, all lines' at the same places."""

    letter: str
    values: Sequence[float]


def bars(name: str, title: str, description: str, data: Sequence[Bar]) -> Markup:
    """Counts as bars from zero. ``name`` makes the ids unique in the page; ``data`` has one bar at least."""
    slot = WIDE_SLOT if len(data) <= FEW else (WIDTH - LEFT) / len(data)
    width = round(LEFT + slot * len(data))
    most = max(1, *(bar.count for bar in data))
    floor, room = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    parts = [_line("axis", LEFT, floor, width, floor)]
    for at, bar in enumerate(data):
        height = room * bar.count / most
        left = LEFT + slot * at
        parts.append(_bar(left + slot * 0.15, floor - height, slot * 0.7, height))
        if len(data) <= FEW:
            middle = left + slot / 2
            parts += [_text(middle, floor - height - 5, str(bar.count)), _text(middle, HEIGHT - 6, bar.label)]
    if len(data) > FEW:
        parts += [_text(LEFT - 6, TOP + 4, str(most), "end"), _text(LEFT - 6, floor, "0", "end")]
        parts.append(_text(LEFT, HEIGHT - 6, data[0].label, "start"))
        parts.append(_text(width, HEIGHT - 6, data[-1].label, "end"))
    return _svg(name, title, description, width, HEIGHT, parts)


def steps(
    name: str, title: str, description: str, data: Sequence[Step], first: str, last: str, reference: float
) -> Markup:
    """A value over time as steps, a dashed line at ``reference``; ``first`` and ``last`` label the ends."""
    values = [*(step.value for step in data), reference]
    low, high = _padded(min(values), max(values))
    begin, end = data[0].at.timestamp(), data[-1].at.timestamp()

    def x_of(step: Step) -> float:
        part = (step.at.timestamp() - begin) / (end - begin) if end > begin else 0.0
        return LEFT + (WIDTH - LEFT) * part

    def y_of(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    path = [f"M{x_of(data[0]):.1f} {y_of(data[0].value):.1f}"]
    path += [f"H{x_of(step):.1f}V{y_of(step.value):.1f}" for step in data[1:]]
    grid = [value for line in (low, (low + high) / 2, high) for value in (_grid(line, y_of(line)))]
    parts = [
        *grid,
        _line("reference", LEFT, y_of(reference), WIDTH, y_of(reference)),
        Markup('<path class="trace" d="{}"/>').format("".join(path) + f"H{WIDTH}"),
        _text(LEFT, HEIGHT - 6, first, "start"),
        _text(WIDTH, HEIGHT - 6, last, "end"),
    ]
    return _svg(name, title, description, WIDTH, HEIGHT, parts)


def lines(name: str, title: str, description: str, data: Sequence[Line], first: str, last: str) -> Markup:
    """Up to five lines on one scale from zero, told apart by letter, colour and dashes; ``first`` and
    ``last`` label the ends."""
    most = max([value for line in data for value in line.values]) or 1.0
    right, floor, room = WIDTH - LETTER, HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP

    def point(at: int, value: float, count: int) -> str:
        x = LEFT + (right - LEFT) * (at / (count - 1) if count > 1 else 1.0)
        return f"{x:.1f} {floor - room * value / most:.1f}"

    parts: list[Markup] = []
    for value in (0.0, most / 2, most):
        parts += _grid(value, floor - room * value / most, right)
    for number, line in enumerate(data, 1):
        points = [point(at, value, len(line.values)) for at, value in enumerate(line.values)]
        path = "M" + "L".join(points if len(points) > 1 else [f"{LEFT} {points[0].split()[1]}", *points])
        parts.append(Markup('<path class="trace series-{}" d="{}"/>').format(number, path))
    ends = [floor - room * line.values[-1] / most for line in data]
    for line, y in zip(data, _apart(ends), strict=True):
        parts.append(_text(right + 6, y + 4, line.letter, "start"))
    parts += [_text(LEFT, HEIGHT - 6, first, "start"), _text(right, HEIGHT - 6, last, "end")]
    return _svg(name, title, description, WIDTH, HEIGHT, parts)


def sparkline(counts: Sequence[int]) -> Markup:
    """Counts as bars the size of a word; for the eye only, since the numbers stand beside it."""
    slot = min(6.0, SPARK_WIDTH / max(1, len(counts)))
    most = max(1, *counts, 1)
    floor = SPARK_HEIGHT - 1
    heights = [(floor - 1) * count / most for count in counts]
    drawn = [
        _bar(slot * at, floor - height, slot * 0.75, height) for at, height in enumerate(heights) if height
    ]
    base = _line("axis", 0, SPARK_HEIGHT - 0.5, round(slot * len(counts)), SPARK_HEIGHT - 0.5)
    return Markup(
        '<svg class="spark" aria-hidden="true" width="{0}" height="{1}" viewBox="0 0 {0} {1}">{2}{3}</svg>'
    ).format(round(slot * len(counts)), SPARK_HEIGHT, base, Markup("").join(drawn))


def _svg(
    name: str, title: str, description: str, width: int, height: int, parts: Sequence[Markup]
) -> Markup:
    return Markup(
        '<svg class="chart" role="img" aria-labelledby="{0}-title {0}-desc" width="{1}" height="{2}" '
        'viewBox="0 0 {1} {2}"><title id="{0}-title">{3}</title><desc id="{0}-desc">{4}</desc>{5}</svg>'
    ).format(name, width, height, title, description, Markup("").join(parts))


def _padded(low: float, high: float) -> tuple[float, float]:
    """The range of an axis: a little more than that of the values, never empty, never below zero."""
    room = max(0.1 * (high - low), 0.02 * high, 0.05)
    return max(0.0, low - room), high + room


def _apart(heights: Sequence[float]) -> list[float]:
    """The heights moved as little upwards as lets a letter stand at each."""
    moved = dict.fromkeys(range(len(heights)), 0.0)
    ceiling = float("inf")
    for at in sorted(moved, key=lambda at: -heights[at]):
        moved[at] = min(heights[at], ceiling)
        ceiling = moved[at] - LETTER_HEIGHT
    return list(moved.values())


def _grid(value: float, y: float, right: float = WIDTH) -> tuple[Markup, Markup]:
    return _line("grid", LEFT, y, right, y), _text(LEFT - 6, y + 4, decimal(value, 1), "end")


def _bar(x: float, y: float, width: float, height: float) -> Markup:
    # Numbers hold nothing to escape, and a page of trends draws some two thousand bars.
    return Markup(f'<rect class="bar" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>')


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    return Markup('<path class="{}" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/>').format(kind, x1, y1, x2, y2)


def _text(x: float, y: float, text: str, anchor: str = "middle") -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, text)
