"""What is kept at each threshold."""

from __future__ import annotations

from rich.table import Table

from discreet.assist.frontier_points import Frontier
from discreet.cli.terminal import console, escape, print_private
from discreet.common.private import MORE


def print_frontier(found: Frontier, plot: str | None) -> None:
    """Show what is kept at each threshold."""
    to = console()
    print_private(to, MORE)
    to.print("How much can be told at which threshold (planned, not released). Changed is the threshold of:")
    for promise in found.swept:
        to.print(f"  {escape(promise)}", soft_wrap=True)
    names = ["threshold", found.worst_name, "detail kept", ""]
    names += [f"of {escape(found.target)} kept"] if found.target is not None else []
    table = Table(*names, "disclosures", box=None)
    for point in found.points:
        name = found.name_of(point.threshold) + (" (the policy's)" if point.threshold == found.own else "")
        if point.largest is None or point.detail is None:
            table.add_row(name, f"[red]{found.reason(point)}[/]")
            continue
        largest = found.figure_of(point.largest)
        bar = "█" * round(point.detail * 20)
        told = "" if point.target is None else f"{point.target:.1%}"
        target = [told] if found.target is not None else []
        steps = "" if point.steps is None else str(point.steps)
        table.add_row(name, largest, f"{point.detail:.1%}", bar, *target, steps)
    to.print()
    to.print(table)
    if found.idle:
        to.print()
    for first, last in found.idle:
        ends = f"From {found.name_of(first.threshold)} to {found.name_of(last.threshold)}"
        to.print(f"{ends} the release is the same: the stricter one costs nothing more.", soft_wrap=True)
        for bound in found.binding:
            if bound.first == first.threshold:
                more = f"without it {bound.detail:.1%} of the detail would be kept"
                to.print(f"  There another promise binds: {escape(bound.promise)}; {more}.", soft_wrap=True)
    if plot is not None:
        to.print(f"\nThe picture is {escape(plot)}: as private as this.", soft_wrap=True)
