"""What a set of cuts costs at least, column by column, with shares of what leaving rows out costs.

Whole numbers decide; see `exact` for the ideas.
"""

from __future__ import annotations

from discreet.common.compiled import kernel
from discreet.method.cuts.cut_set_kernels import FREE, NO, YES

MOST_FREE = 48
"""Free values of a plain column whose number is tried out."""


@kernel
def node_bounds(frame, c, cells, start, used, code, count, share, enough, front, cost, n_at, kept_at, touched):  # type: ignore[no-untyped-def]
    """Sum over the cells what releasing each node would cost at least; the last three are scratch, zero.

    O(nodes + entries * depth).
    """
    base = frame.code_at[c]
    for node in range(frame.node_at[c], frame.node_at[c + 1]):
        cost[node] = 0
    for q in range(cells):
        found = 0
        s = share[q, c]
        for at in range(start[q], start[q] + used[q]):
            v = code[at]
            n = count[at]
            top = front[base + v]
            node = frame.leaf[base + v]
            while node >= 0:
                if not frame.interval[node]:
                    if n_at[node] == 0:
                        touched[found] = node
                        found += 1
                    loss = frame.losses[frame.loss_at[node] + v * frame.stride[node]]
                    n_at[node] += n
                    kept_at[node] += n * min(loss, s)
                if node == top:
                    break
                node = frame.parent[node]
        for i in range(found):
            node = touched[i]
            cost[node] += kept_at[node] if n_at[node] >= enough else n_at[node] * s
            n_at[node] = 0
            kept_at[node] = 0


@kernel
def interval_bounds(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    frame, c, node, cells, start, used, code, count, share, enough, part, code_state, begins, block, cost, n_block,
):  # fmt: skip
    """Sum over the cells what each interval of the numbers of a node would cost at least; return how many blocks.

    A block is a piece that no decision lets be cut. O(codes + entries + cells * blocks²).
    """
    base = frame.code_at[c]
    first = frame.first[node]
    stop = frame.stop[node]
    blocks = 0
    for v in range(first, stop):
        if v == first or code_state[base + v] != NO:
            begins[blocks] = v
            blocks += 1
        block[v] = blocks - 1
    begins[blocks] = stop
    for i in range(blocks):
        n_block[i] = 0
        for j in range(blocks):
            cost[i, j] = 0
    for q in range(cells):
        s = share[q, c]
        low = -1
        for at in range(start[q], start[q] + used[q]):
            v = code[at]
            if v < first or v >= stop:
                continue
            if low < 0:
                low = block[max(part[base + v] - 1, first)]
            n_block[block[v]] += count[at]
        if low < 0:
            continue
        high = low
        while high + 1 < blocks and code_state[base + begins[high + 1]] != YES:
            high += 1
        for i in range(low, high + 1):
            n = 0
            here = frame.positions[base + begins[i]]
            for j in range(i, high + 1):
                n += n_block[j]
                if n > 0:
                    each = s
                    if n >= enough:
                        each = min(s, frame.positions[base + begins[j + 1] - 1] - here)
                    cost[i, j] += n * each
        for i in range(low, high + 1):
            n_block[i] = 0
    return blocks


@kernel
def cheapest_path(frame, c, code_state, blocks, begins, cost, ahead, behind, come, yes, no):  # type: ignore[no-untyped-def]
    """Return the cheapest way to cut numbers; `yes` and `no` say how much dearer it gets with a cut here, and without.

    `come` is where the interval that ends before each block begins. O(blocks²).
    """
    base = frame.code_at[c]
    ahead[0] = 0
    for end in range(1, blocks + 1):
        i = end - 1
        ahead[end] = ahead[i] + cost[i, end - 1]
        come[end] = i
        while i > 0 and code_state[base + begins[i]] != YES:
            i -= 1
            way = ahead[i] + cost[i, end - 1]
            if way <= ahead[end]:
                ahead[end] = way
                come[end] = i
    behind[blocks] = 0
    for i in range(blocks - 1, -1, -1):
        end = i + 1
        behind[i] = cost[i, i] + behind[end]
        while end < blocks and code_state[base + begins[end]] != YES:
            end += 1
            way = cost[i, end - 1] + behind[end]
            if way < behind[i]:
                behind[i] = way
    best = ahead[blocks]
    for b in range(1, blocks):
        yes[base + begins[b]] = ahead[b] + behind[b] - best
        no[base + begins[b]] = -1
    for i in range(blocks):
        last = i + 1
        while last < blocks and code_state[base + begins[last]] != YES:
            last += 1
        least = ahead[i] + cost[i, last - 1] + behind[last]
        for b in range(last - 1, i, -1):
            way = ahead[i] + cost[i, b] + behind[b + 1]
            least = min(least, way)
            v = base + begins[b]
            if no[v] < 0 or least - best < no[v]:
                no[v] = least - best
    return best


@kernel
def cheapest_tree(frame, c, node_state, cost, best, below, yes, no):  # type: ignore[no-untyped-def]
    """Return the cheapest cut of a tree from what its nodes cost; `yes` and `no` as in `cheapest_path`, by node.

    Intervals have their cost in `best` already. O(nodes).
    """
    low = frame.node_at[c]
    for node in range(low, frame.node_at[c + 1]):
        below[node] = 0
    for node in range(frame.node_at[c + 1] - 1, low - 1, -1):
        if not frame.interval[node]:
            best[node] = cost[node]
            if frame.children[node] > 0:
                if node_state[node] == YES or (node_state[node] == FREE and below[node] < cost[node]):
                    best[node] = below[node]
                yes[node] = below[node] - best[node]
                no[node] = cost[node] - best[node]
        if frame.parent[node] >= 0:
            below[frame.parent[node]] += best[node]
    return best[low]


@kernel
def take_tree(frame, c, node_state, cost, below, blocks, begins, come, pick, loss):  # type: ignore[no-untyped-def]
    """Write the cheapest cut of a tree: the first code of the part of each code, and what it loses.

    O(codes * depth).
    """
    base = frame.code_at[c]
    low = frame.node_at[c]
    for v in range(base, frame.code_at[c + 1]):
        pick[v] = -1
    for node in range(low, frame.node_at[c + 1]):
        above = frame.parent[node]
        if above >= 0 and pick[base + frame.first[node]] != -2 - above:
            continue
        first = frame.first[node]
        stop = frame.stop[node]
        if frame.interval[node]:
            at = blocks
            while at > 0:
                begin = begins[come[at]]
                end = begins[at]
                for v in range(base + begin, base + end):
                    pick[v] = begin
                    loss[v] = frame.positions[base + end - 1] - frame.positions[base + begin]
                at = come[at]
            continue
        opens = node_state[node] == YES or (node_state[node] == FREE and below[node] < cost[node])
        if frame.children[node] > 0 and opens:
            for v in range(base + first, base + stop):
                pick[v] = -2 - node
            continue
        for v in range(first, stop):
            pick[base + v] = first
            loss[base + v] = frame.losses[frame.loss_at[node] + v * frame.stride[node]]


@kernel
def hidden_costs(frame, c, cells, start, used, code, count, share, each, dark):  # type: ignore[no-untyped-def]
    """Write what hiding each value of a plain column costs at least when a hidden cell loses so much.

    O(codes + entries).
    """
    for v in range(frame.code_at[c + 1] - frame.code_at[c]):
        dark[v] = 0
    for q in range(cells):
        s = min(share[q, c], each)
        for at in range(start[q], start[q] + used[q]):
            dark[code[at]] += count[at] * s


@kernel
def hide_cheapest(states, room, shown, dark, gain, pick):  # type: ignore[no-untyped-def]
    """Return what the values of a plain column cost when the best `room` free ones are hidden; -1 in `pick`: hidden.

    O(codes + free²).
    """
    total = 0
    free = 0
    for v in range(len(states)):
        pick[v] = v
        total += dark[v] if states[v] == NO else shown[v]
        if states[v] == NO:
            pick[v] = -1
        elif states[v] == FREE:
            more = dark[v] - shown[v]
            at = free
            while at > 0 and gain[at - 1] > more:
                gain[at] = gain[at - 1]
                at -= 1
            gain[at] = more
            free += 1
    if room == 0:
        return total
    ties = 0
    for i in range(room):
        total += gain[i]
        ties += gain[i] == gain[room - 1]
    for v in range(len(states)):
        if states[v] == FREE:
            more = dark[v] - shown[v]
            if more < gain[room - 1]:
                pick[v] = -1
            elif more == gain[room - 1] and ties > 0:
                pick[v] = -1
                ties -= 1
    return total


@kernel
def plain_bound(  # type: ignore[no-untyped-def]
    frame, c, cells, start, used, code, count, share, enough, code_state, shown, dark, gain, pick, loss, trial,
):  # fmt: skip
    """Return what a plain column costs at least: for each number of hidden values the best ones, each by itself.

    Hidden values are taken to stand in large groups. Of many free values the number is not tried out: a hidden one
    is then taken to lose no more than when only those are hidden that must be. The cut is written to `pick` (-1:
    hidden) and `loss`. O(free * (entries + codes + free²)); with many free values O(entries + codes).
    """
    base = frame.code_at[c]
    size = frame.code_at[c + 1] - base
    states = code_state[base : base + size]
    forced = 0
    free = 0
    for v in range(size):
        shown[v] = 0
        forced += states[v] == NO
        free += states[v] == FREE
    for q in range(cells):
        for at in range(start[q], start[q] + used[q]):
            if count[at] < enough:
                shown[code[at]] += count[at] * share[q, c]
    if free > MOST_FREE:
        hidden_costs(frame, c, cells, start, used, code, count, share, frame.hidden[base + max(forced, 1) - 1], dark)
        best = 0
        still = 0
        for v in range(size):
            hide = states[v] == NO or (states[v] == FREE and dark[v] < shown[v])
            best += dark[v] if hide else shown[v]
            pick[base + v] = -1 if hide else v
            still += hide
    else:
        best = -1
        still = 0
        for room in range(free + 1):
            each = frame.hidden[base + max(forced + room, 1) - 1]
            hidden_costs(frame, c, cells, start, used, code, count, share, each, dark)
            found = hide_cheapest(states, room, shown, dark, gain, trial)
            if best < 0 or found < best:
                best = found
                still = forced + room
                for v in range(size):
                    pick[base + v] = trial[v]
    for v in range(base, base + size):
        loss[v] = frame.hidden[base + still - 1] if pick[v] < 0 else 0
    return best


@kernel
def unpaid(frame, c, cells, start, used, code, count, share, enough, pick, loss, plain, drops):  # type: ignore[no-untyped-def]
    """Write how many rows of each cell a column's cut leaves out: those for which it pays the share.

    O(cells + entries).
    """
    base = frame.code_at[c]
    for q in range(cells):
        drops[q, c] = 0
        s = share[q, c]
        at = start[q]
        stop = at + used[q]
        while at < stop:
            first = pick[base + code[at]]
            n = 0
            dear = 0
            while at < stop and pick[base + code[at]] == first:
                n += count[at]
                if loss[base + code[at]] >= s:
                    dear += count[at]
                at += 1
            drops[q, c] += n if n < enough and not (plain and first < 0) else dear


@kernel
def whole_shares(cells, left, is_open, wish, share):  # type: ignore[no-untyped-def]
    """Write the wished shares in whole units: those of a cell sum up to what is left of it. O(cells * columns)."""
    for q in range(cells):
        total = 0
        largest = -1
        for c in range(wish.shape[1]):
            share[q, c] = 0
            if is_open[q, c]:
                share[q, c] = int(wish[q, c])
                total += share[q, c]
                if largest < 0 or share[q, c] > share[q, largest]:
                    largest = c
        if largest < 0:
            continue
        share[q, largest] += left[q] - total
        if share[q, largest] < 0:
            for c in range(wish.shape[1]):
                share[q, c] = 0


@kernel
def _mean_drop(is_open, drops):  # type: ignore[no-untyped-def]
    """Return how many columns of a cell are open, and what they leave out on average. O(columns)."""
    opens = 0
    mean = 0.0
    for c in range(len(drops)):
        if is_open[c]:
            opens += 1
            mean += drops[c]
    return opens, mean / max(opens, 1)


@kernel
def better_shares(cells, left, is_open, drops, wish, step):  # type: ignore[no-untyped-def]
    """Move the shares towards columns that leave more of a cell out than the others do, by a step.

    O(cells * columns).
    """
    columns = wish.shape[1]
    norm = 0.0
    for q in range(cells):
        opens, mean = _mean_drop(is_open[q], drops[q])
        if opens < 2:
            continue
        for c in range(columns):
            if is_open[q, c]:
                norm += (drops[q, c] - mean) ** 2
    if norm == 0.0:
        return False
    step /= norm
    for q in range(cells):
        opens, mean = _mean_drop(is_open[q], drops[q])
        if opens < 2:
            continue
        total = 0.0
        for c in range(columns):
            if is_open[q, c]:
                wish[q, c] = max(wish[q, c] + step * (drops[q, c] - mean), 0.0)
                total += wish[q, c]
        for c in range(columns):
            if is_open[q, c]:
                wish[q, c] = wish[q, c] * left[q] / total if total > 0 else left[q] / opens
    return True


@kernel
def column_bound(frame, c, node_state, code_state, part, front, cells, lists, share, enough, room):  # type: ignore[no-untyped-def]
    """Return what one column costs at least with these shares, and write its cut and what decisions would add.

    Cost: as `plain_bound`; else as `node_bounds`, `interval_bounds`, `cheapest_path` and `take_tree`.
    """
    start, used, code, count = lists.start, lists.used[c], lists.code[c], lists.rows[c]
    if frame.plain[c]:
        return plain_bound(
            frame, c, cells, start, used, code, count, share, enough, code_state, room.one, room.two, room.three,
            room.pick, room.loss, room.block,
        )  # fmt: skip
    node_bounds(
        frame, c, cells, start, used, code, count, share, enough, front, room.cost, room.n_at, room.kept_at,
        room.touched,
    )  # fmt: skip
    blocks = 0
    node = frame.interval_of[c]
    if node >= 0:
        if frame.vast[c]:
            blocks = 1
            room.begins[0] = frame.first[node]
            room.begins[1] = frame.stop[node]
            room.come[1] = 0
            room.best[node] = 0
        else:
            blocks = interval_bounds(
                frame, c, node, cells, start, used, code, count, share, enough, part, code_state, room.begins,
                room.block, room.between, room.one,
            )  # fmt: skip
            room.best[node] = cheapest_path(
                frame, c, code_state, blocks, room.begins, room.between, room.two, room.three, room.come,
                room.code_yes, room.code_no,
            )  # fmt: skip
    found = cheapest_tree(frame, c, node_state, room.cost, room.best, room.below, room.node_yes, room.node_no)
    take_tree(
        frame, c, node_state, room.cost, room.below, blocks, room.begins, room.come, room.pick, room.loss
    )  # fmt: skip
    return found


@kernel
def relax(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    frame, node_state, code_state, part, front, cells, left, is_open, lists, wish, best_wish, share, drops,
    enough, certain, upper, rounds, room, node_bound, code_bound, pick,
):  # fmt: skip
    """Return the largest bound that some rounds of better shares find; `pick` is the cut of all columns it is from.

    `node_bound` and `code_bound` (first axis: yes, no) are bounds with one decision more. Ends when the bound has
    reached `upper`. Cost: for each round `column_bound` of every column, and O(cells * columns + codes + nodes).
    """
    columns = len(frame.plain)
    for way in range(2):
        for node in range(node_bound.shape[1]):
            node_bound[way, node] = -1
        for v in range(code_bound.shape[1]):
            code_bound[way, v] = -1
    best = -1
    pace = 1.0
    since = 0
    for turn in range(rounds):
        whole_shares(cells, left, is_open, wish, share)
        bound = certain
        for c in range(columns):
            if not frame.main[c]:
                continue
            bound += column_bound(
                frame, c, node_state, code_state, part, front, cells, lists, share, enough, room
            )  # fmt: skip
            unpaid(
                frame, c, cells, lists.start, lists.used[c], lists.code[c], lists.rows[c], share, enough, room.pick,
                room.loss, frame.plain[c], drops,
            )  # fmt: skip
        for c in range(columns):
            for node in range(frame.node_at[c], frame.node_at[c + 1]):
                if frame.children[node] > 0 and front[frame.code_at[c] + frame.first[node]] == node:
                    node_bound[0, node] = max(node_bound[0, node], bound + room.node_yes[node])
                    node_bound[1, node] = max(node_bound[1, node], bound + room.node_no[node])
            node = frame.interval_of[c]
            reached = node >= 0 and front[frame.code_at[c] + frame.first[node]] == node
            if reached or frame.plain[c]:
                for v in range(frame.code_at[c], frame.code_at[c + 1]):
                    if code_state[v] == FREE:
                        code_bound[0, v] = max(code_bound[0, v], bound + room.code_yes[v])
                        code_bound[1, v] = max(code_bound[1, v], bound + room.code_no[v])
        if bound > best:
            best = bound
            since = 0
            for q in range(cells):
                for c in range(columns):
                    best_wish[q, c] = wish[q, c]
            for v in range(len(pick)):
                pick[v] = room.pick[v]
        else:
            since += 1
            if since == 2:
                pace /= 2
                since = 0
        if best >= upper or turn + 1 == rounds:
            break
        if not better_shares(cells, left, is_open, drops, wish, pace * (upper - bound)):
            break
    return best
