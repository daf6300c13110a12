"""Bottom-up generalization in plain Python: each round counts every candidate anew, on the rows."""

from __future__ import annotations

from fractions import Fraction

from top_down_oracle import all_smallest, gain, holds, inside


def inner_nodes(node):
    if node.children:
        yield node
        for child in node.children:
            yield from inner_nodes(child)


def leaves(node):
    return [leaf for c in node.children for leaf in leaves(c)] if node.children else [node]


def candidates(given, cut, roots):
    """Every node whose children are all parts: what it loses and gains, in requirements that fail."""
    before = all_smallest(given, cut)
    failing = [n for n, (_, k, *_) in enumerate(given.requirements) if before[n] < k]
    for at, root in enumerate(roots):
        for node in inner_nodes(root):
            if not all(any(part is child for part in cut[at]) for child in node.children):
                continue
            held = [n for n in failing if at in given.requirements[n][0]]
            if not held:
                continue
            rest = [part for part in cut[at] if not any(part is child for child in node.children)]
            new = [*cut[:at], [*rest, node], *cut[at + 1 :]]
            after = all_smallest(given, new)
            lost = gain([inside(given.rows, at, child) for child in node.children])
            more = Fraction(sum(after[n] - before[n] for n in held), len(held))
            yield {
                "at": at, "node": node, "information": lost, "anonymity": more, "after": after, "cut": new,
                "score": lost / more if more else lost,
            }  # fmt: skip


def bottom_up(given):
    """The steps and the last cut; None where whole columns are too small."""
    roots = given.roots  # the same objects throughout: parts are told apart by identity
    cut = [leaves(root) for root in roots]
    steps = []
    while not holds(given, all_smallest(given, cut)):
        able = list(candidates(given, cut, roots))
        if not able:
            return None
        critical = [each for each in able if each["anonymity"] > 0]
        best = min(critical or able, key=lambda each: (each["score"], each["at"], each["node"].low))
        steps.append(best)
        cut = best["cut"]
    return steps, cut
