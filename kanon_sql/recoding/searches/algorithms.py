"""The table of all algorithms, by name: the function that runs, the paper, the guarantee, the cost.

An algorithm is one entry here and one function of a module beside it, imported when it runs. All that runs, or is printed
about an algorithm, comes from this table.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.result import Guarantee
from kanon_sql.policy.metrics.registry import GCP
from kanon_sql.policy.search_options import (
    Algorithm,
    Among,
    Greedy,
    Grouping,
    Incognito,
    KOptimize,
    MinGen,
    Mondrian,
    MuArgus,
    Samarati,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kanon_sql.counting.lattice.result import FullChecker, SearchResult
    from kanon_sql.policy.search import Search
    from kanon_sql.recoding.multidimensional.mondrian import cut_by_mondrian
    from kanon_sql.recoding.rare_bounds import CutSearch
    from kanon_sql.recoding.searches.binary_searches import all_min, flash, mingen, ola, samarati
    from kanon_sql.recoding.searches.incognito import incognito, mu_argus
    from kanon_sql.recoding.searches.lightning import lightning
    from kanon_sql.recoding.searches.optimal import (
        breadth_first,
        datafly,
        exhaustive,
        greedy,
        optimal,
    )
    from kanon_sql.recoding.single_dimensional.bottom_up import cut_bottom_up
    from kanon_sql.recoding.single_dimensional.k_optimize import cut_k_optimize
    from kanon_sql.recoding.single_dimensional.top_down import cut_top_down

    Run = Callable[[FullChecker, Search, tuple[str, ...]], SearchResult | None]
else:

    def _later(module: str, name: str) -> Callable[..., Any]:
        """Return a function that imports an algorithm when it is called: a run uses only one."""

        def run(*arguments: object) -> object:
            return getattr(import_module(module), name)(*arguments)

        return run

    cut_by_mondrian = _later("kanon_sql.recoding.multidimensional.mondrian", "cut_by_mondrian")
    cut_bottom_up = _later("kanon_sql.recoding.single_dimensional.bottom_up", "cut_bottom_up")
    cut_k_optimize = _later("kanon_sql.recoding.single_dimensional.k_optimize", "cut_k_optimize")
    cut_top_down = _later("kanon_sql.recoding.single_dimensional.top_down", "cut_top_down")
    all_min = _later("kanon_sql.recoding.searches.binary_searches", "all_min")
    breadth_first = _later("kanon_sql.recoding.searches.optimal", "breadth_first")
    datafly = _later("kanon_sql.recoding.searches.optimal", "datafly")
    exhaustive = _later("kanon_sql.recoding.searches.optimal", "exhaustive")
    flash = _later("kanon_sql.recoding.searches.binary_searches", "flash")
    greedy = _later("kanon_sql.recoding.searches.optimal", "greedy")
    incognito = _later("kanon_sql.recoding.searches.incognito", "incognito")
    lightning = _later("kanon_sql.recoding.searches.lightning", "lightning")
    mingen = _later("kanon_sql.recoding.searches.binary_searches", "mingen")
    mu_argus = _later("kanon_sql.recoding.searches.incognito", "mu_argus")
    ola = _later("kanon_sql.recoding.searches.binary_searches", "ola")
    optimal = _later("kanon_sql.recoding.searches.optimal", "optimal")
    samarati = _later("kanon_sql.recoding.searches.binary_searches", "samarati")


def _samarati(checker: FullChecker, options: Samarati) -> SearchResult | None:
    return samarati(checker, options.preference, options.among)


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """The description of an algorithm.

    `prunes` is true of an algorithm that has to conclude from one node about others: it is refused where models are not
    monotone. An algorithm that `enumerates` holds all nodes of the lattice, or of a layer of it: it is refused where
    those are too many. One that is `endless` is refused there unless it has a time limit. The promise may depend on the
    search's options.
    """

    paper: str
    promise: Guarantee | Callable[[Search], Guarantee]
    cost: str
    prunes: bool
    enumerates: bool = True
    endless: bool = False

    def promises(self, search: Search) -> Guarantee:
        return self.promise if isinstance(self.promise, Guarantee) else self.promise(search)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatticeAlgorithm(Described):
    """An algorithm that searches a lattice of generalizations.

    `run` takes the checker, the policy's settings of the search, and the names of the quasi-identifiers. It returns
    None if no node is feasible.
    """

    run: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class CutAlgorithm(Described):
    """An algorithm that cuts the table, or its columns, and searches no lattice.

    `minimized` returns the key of the metric in which the cost of its plans is stated.
    """

    cut: CutSearch
    enumerates: bool = False
    minimized: Callable[[Search], str] = lambda _: GCP.key


ALGORITHMS: dict[Algorithm, LatticeAlgorithm | CutAlgorithm] = {
    Algorithm.OPTIMAL: LatticeAlgorithm(
        run=lambda checker, *_: optimal(checker),
        paper="this project; tags both ways as Flash does, and bounds costs",
        promise=Guarantee.OPTIMUM,
        cost="mostly the fewest checks of those that prove their node",
        prunes=False,
    ),
    Algorithm.SAMARATI: LatticeAlgorithm(
        run=lambda checker, search, _: _samarati(checker, search.of(Samarati)),
        paper="Samarati, TKDE 13(6), 2001, section 4",
        promise=lambda search: (
            Guarantee.LEAST_HEIGHT
            if search.of(Samarati).among is Among.LEAST_HEIGHT
            else Guarantee.MINIMAL
        ),
        cost="a binary search over the sums of levels, all nodes of the last of which are checked",
        prunes=True,
    ),
    Algorithm.ALL_MIN: LatticeAlgorithm(
        run=lambda checker, *_: all_min(checker),
        paper="Samarati, TKDE 13(6), 2001, section 3: all k-minimal nodes",
        promise=Guarantee.MONOTONE_OPTIMUM,
        cost="little more than the minimal and the maximal infeasible nodes, tagging both ways",
        prunes=True,
    ),
    Algorithm.MINGEN: LatticeAlgorithm(
        run=lambda checker, search, _: mingen(checker, search.of(MinGen).preference),
        paper="Sweeney, IJUFKS 10(5), 2002",
        promise=Guarantee.MINIMAL,
        cost="that of all_min; the highest precision Prec is chosen",
        prunes=True,
    ),
    Algorithm.INCOGNITO: LatticeAlgorithm(
        run=lambda checker, search, _: incognito(checker, search.of(Incognito).variant),
        paper="LeFevre, DeWitt and Ramakrishnan, SIGMOD 2005",
        promise=Guarantee.OPTIMUM,
        cost="breadth first over growing sets of columns, each counted on a set of its own",
        prunes=True,
    ),
    Algorithm.OLA: LatticeAlgorithm(
        run=lambda checker, *_: ola(checker),
        paper="El Emam et al., JAMIA 16(5), 2009",
        promise=Guarantee.MONOTONE_OPTIMUM,
        cost="binary searches of sublattices, one check after another",
        prunes=True,
    ),
    Algorithm.FLASH: LatticeAlgorithm(
        run=lambda checker, *_: flash(checker),
        paper="Kohlmayer, Prasser, Eckert, Kemper and Kuhn, PASSAT 2012",
        promise=Guarantee.MONOTONE_OPTIMUM,
        cost="binary searches on paths to the top, one check after another",
        prunes=True,
    ),
    Algorithm.BREADTH_FIRST: LatticeAlgorithm(
        run=lambda checker, *_: breadth_first(checker),
        paper="bottom-up search, as compared with by LeFevre, DeWitt and Ramakrishnan, SIGMOD 2005",
        promise=Guarantee.OPTIMUM,
        cost="one check for every infeasible and every minimal node",
        prunes=True,
    ),
    Algorithm.DATAFLY: LatticeAlgorithm(
        run=lambda checker, _, names: datafly(checker, names),
        paper="Sweeney, 1997; as in IJUFKS 10(5), 2002, section 5.2",
        promise=Guarantee.FEASIBLE,
        cost="at most one check for each level",
        prunes=False,
        enumerates=False,
    ),
    Algorithm.GREEDY: LatticeAlgorithm(
        run=lambda checker, search, names: greedy(checker, search.of(Greedy), names),
        paper="the greedy of textbooks: columns in a fixed order, then suppression",
        promise=Guarantee.FEASIBLE,
        cost="at most one check for each level",
        prunes=False,
        enumerates=False,
    ),
    Algorithm.MU_ARGUS: LatticeAlgorithm(
        run=lambda checker, search, names: mu_argus(checker, search.of(MuArgus), names),
        paper="Hundepool and Willenborg, 1996; as in Sweeney, IJUFKS 10(5), 2002, section 5.1",
        promise=Guarantee.RARITY,
        cost="one check for each combination of two or three columns",
        prunes=False,
        enumerates=False,
    ),
    Algorithm.LIGHTNING: LatticeAlgorithm(
        run=lambda checker, *_: lightning(checker),
        paper="Prasser et al., Transactions on Data Privacy 9, 2016, over intervals of nodes",
        promise=Guarantee.FEASIBLE,
        cost="as many checks as time allows, in a lattice of any size; the optimum if it completes",
        prunes=False,
        enumerates=False,
        endless=True,
    ),
    Algorithm.EXHAUSTIVE: LatticeAlgorithm(
        run=lambda checker, *_: exhaustive(checker),
        paper="every node, for tests and small lattices",
        promise=Guarantee.OPTIMUM,
        cost="one check for each node",
        prunes=False,
    ),
    Algorithm.MONDRIAN: CutAlgorithm(
        cut=cut_by_mondrian,
        paper="LeFevre, DeWitt and Ramakrishnan, ICDE 2006; KDD 2006",
        promise=lambda search: (
            Guarantee.RUNS if search.of(Mondrian).ending is Grouping.ORDER else Guarantee.UNCUT
        ),
        cost="about eight statements for each depth; by width it grows with the logarithm of the rows",
        prunes=True,
    ),
    Algorithm.ORDER: CutAlgorithm(
        cut=cut_by_mondrian,
        paper="one-dimensional grouping: Ghinita, Karras, Kalnis and Mamoulis, VLDB 2007; by a reflected order",
        promise=Guarantee.RUNS,
        cost="one sort of the distinct tuples, whatever the number of columns",
        prunes=True,
    ),
    Algorithm.TOP_DOWN: CutAlgorithm(
        cut=cut_top_down,
        paper="TDS: Fung, Wang and Yu, ICDE 2005; TKDE 19(5), 2007",
        promise=Guarantee.BENEFICIAL,
        cost="about three statements for each specialization, each over the rows of one interval",
        prunes=True,
    ),
    Algorithm.BOTTOM_UP: CutAlgorithm(
        cut=cut_bottom_up,
        paper="Wang, Yu and Chakraborty, ICDM 2004",
        promise=Guarantee.LARGE_ENOUGH,
        cost="at most one pass over the classes for each generalization",
        prunes=True,
    ),
    Algorithm.K_OPTIMIZE: CutAlgorithm(
        cut=cut_k_optimize,
        paper="Bayardo and Agrawal, ICDE 2005",
        promise=Guarantee.BEST_PARTS,
        cost="as many heads as time allows, dozens in each statement; the optimum if it completes",
        prunes=True,
        endless=True,
        minimized=lambda search: search.of(KOptimize).minimize.value,
    ),
}
