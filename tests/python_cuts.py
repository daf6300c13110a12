"""What the searches over cuts ask of a table, answered in plain Python by counting rows."""

from __future__ import annotations

from bottom_up_oracle import inner_nodes, leaves
from top_down_oracle import children, counted, gain_of, inside

from kanon_sql.policy.cut_steps import AnonymityRequirement, CutCandidate
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.privacy.l_diversity import DistinctValues
from kanon_sql.policy.privacy.privacy_model import SensitiveAttribute
from kanon_sql.recoding.single_dimensional.bottom_up import SmallestClasses
from kanon_sql.recoding.single_dimensional.top_down import SmallestAfter

SENSITIVE = SensitiveAttribute("value")


def requirements_of(given):
    return [
        AnonymityRequirement(columns, least, DistinctValues(SENSITIVE) if of else SIZE)
        for columns, least, *of in given.requirements
    ]


class _Counted:
    def __init__(self, given, form="gain_per_loss"):
        self.given = given
        self.form = form
        self.cut = []
        self.before = []

    def size_of(self, rows, number):
        _, _, *of = self.given.requirements[number]
        return counted(self.given, rows, of)

    def part_of(self, at, place):
        return next(node for node in self.cut[at] if node.low <= place <= node.high)

    def crowds(self, columns, rows, split=None):
        """Rows by the parts of some columns, one of them split by its parts' children."""
        found = {}
        for row in rows:
            key = [self.part_of(at, row[0][at]) for at in columns]
            if split is not None:
                below = self.below(split, self.part_of(split, row[0][split]))
                key.append(next((c for c in below if c.low <= row[0][split] <= c.high), None))
            found.setdefault(tuple(key), []).append(row)
        return found

    def below(self, at, node):
        return children(self.given, at, node, self.form)

    def candidate(self, at, node, parent=None):
        parts = [inside(self.given.rows, at, child) for child in self.below(at, node)]
        told = gain_of(self.given, at, parts, self.form)
        return CutCandidate(at, _number(node), node.low, node.high, told, parent=parent)


def _number(node):
    return node.low * 1000 + node.high


class PythonSpecializations(_Counted):
    """Answers as TopDownTable; late after so many questions about the time."""

    def __init__(self, given, form="gain_per_loss", patience=None):
        super().__init__(given, form)
        self.patience = patience

    def late(self):
        if self.patience is not None:
            self.patience -= 1
        return self.patience is not None and self.patience < 0

    def smallest(self):
        return tuple(
            self.size_of(self.given.rows, n) for n, _ in enumerate(self.given.requirements)
        )

    def begin(self):
        self.cut = [[root] for root in self.given.roots]
        return [c for at, (root,) in enumerate(self.cut) for c in self._able(at, [root])]

    def _able(self, at, nodes):
        return [self.candidate(at, node) for node in nodes if self.below(at, node)]

    def specialize(self, parts):
        found = []
        for each in parts:
            node = self.part_of(each.quasi, each.low)
            assert (node.low, node.high) == (each.low, each.high)
            below = self.below(each.quasi, node)
            self.cut[each.quasi].remove(node)
            self.cut[each.quasi] += below
            found.append(self._able(each.quasi, below))
        return found

    def smallest_after(self, within, asked):
        rows = [
            row
            for row in self.given.rows
            if not within or any(p.low <= row[0][p.quasi] <= p.high for p in within)
        ]
        for number, at in asked:
            columns = self.given.requirements[number][0]
            found = {}
            for key, crowd in self.crowds(columns, rows, split=at).items():
                if key[-1] is not None:
                    found.setdefault(key[columns.index(at)], []).append(self.size_of(crowd, number))
            for node, sizes in found.items():
                yield SmallestAfter(number, at, _number(node), min(sizes))


class PythonGeneralizations(_Counted):
    """Answers as BottomUpTable."""

    def begin(self):
        roots = self.given.roots
        self.cut = [leaves(root) for root in roots]
        held = {at for columns, *_ in self.given.requirements for at in columns}
        found = []
        for at in held:
            parents = {id(c): _number(n) for n in inner_nodes(roots[at]) for c in n.children}
            found += [
                self.candidate(at, node, parents.get(id(node))) for node in inner_nodes(roots[at])
            ]
        self.inner = {
            (at, n.low, n.high): n for at, root in enumerate(roots) for n in inner_nodes(root)
        }
        return found

    def smallest_classes(self):
        found = []
        for number, (columns, *_) in enumerate(self.given.requirements):
            crowds = self.crowds(columns, self.given.rows)
            sizes = {key: self.size_of(rows, number) for key, rows in crowds.items()}
            least = min(sizes.values())
            rare = [key for key, size in sizes.items() if size == least]
            spans = {
                at: (min(key[n].low for key in rare), max(key[n].low for key in rare))
                for n, at in enumerate(columns)
            }
            found.append(SmallestClasses(least, spans))
        return found

    def smallest_after(self, asked):
        found = []
        for number, node in asked:
            self.generalize([node])
            found.append(self.smallest_classes()[number].size)
            self.undo()
        return found

    def generalize(self, nodes):
        self.before.append([list(parts) for parts in self.cut])
        for each in nodes:
            node = self.inner[each.quasi, each.low, each.high]
            rest = [p for p in self.cut[each.quasi] if not node.low <= p.low <= node.high]
            self.cut[each.quasi] = [*rest, node]

    def undo(self):
        self.cut = self.before.pop()
