import sys, time
import numpy as np
from cells_data import DATA
from cells_trials import Bench
from discreet.adversary.view import Seen, View
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.id3 import Id3Guesser
from discreet.attack.protected import Protected, right, told
from discreet.attack.refill import refill
from discreet.attack.inversion import invert
from discreet.attack.counting import Counts

NB = NaiveBayesGuesser()
LAP = NaiveBayesGuesser("count", 1)
from fractions import Fraction

LAP = NaiveBayesGuesser("drop", Fraction(1))


def seen_view(bench, column, codes):
    d = bench.data

    def s(c):
        return Seen(str(c), bench.seen[c], codes[c].astype(np.int64) - bench.table.first[c])

    return View(s(column), tuple(s(c) for c in d.predictors(column)))


def run(name, methods, number, seeds):
    data = DATA[name]()
    for m in methods:
        R = []
        for seed in range(seeds):
            bench = Bench(data, general=m.endswith("-G"))
            cells = data.cells(number, np.random.default_rng(seed))
            for (row, column), ch in zip(cells, bench.chances(len(cells), seed)):
                with bench.fresh() as table:
                    bench.protect("hide", row, column, ch)
                    before = seen_view(bench, column, table.frame.codes.copy())
                    true = np.array([int(table.frame.leaf[bench.actual(row, column) + table.first[column]])])
                with bench.fresh() as table:
                    ok = bench.protect(m, row, column, ch)
                    if not ok:
                        bench.delete(row)
                    view = seen_view(bench, column, table.frame.codes.copy())
                    ch2 = (table.frame.codes != table.original).T
                pred = list(data.predictors(column))
                changed = ch2[:, pred]
                hidden = ch2[:, column]
                at = np.array([row])
                P = Protected(view, view.lines(at), changed, hidden, True, np.zeros(len(pred), bool))
                g = Id3Guesser() if m.startswith("HID3") else (NaiveBayesGuesser("spread") if m.endswith("-G") else NB)
                nb = NaiveBayesGuesser("spread") if m.endswith("-G") else NB
                gu = g.train(view).guess(P.lines)
                ho = told(g.train(before).guess(before.lines(at)), true)[0]
                ho3 = told(Id3Guesser().train(before).guess(before.lines(at)), true)[0]
                pl = told(gu, true)[0]
                lp = told(LAP.train(view).guess(P.lines), true)[0]
                if m[:4] in ("DECP", "INCP"):
                    w = refill(P, nb, gu, classes=m.startswith("INCP")).weights
                else:
                    w = invert(
                        P,
                        Counts(view, nb if m.startswith("DROPP") else LAP),
                        gu,
                        None if m.startswith("DROPP") else g.train(view),
                        4000,
                        np.random.default_rng(1),
                    )
                aw = right(w, true)[0]
                c = (changed.sum() + hidden.sum() - 1) > 0
                R.append((ho, ho3, pl, aw, c, lp, not ok))
        R = np.array(R)
        C = R[:, 4] > 0
        F = R[:, 6] > 0
        K = R[:, 6] >= 0
        C &= ~F
        print(
            name,
            m,
            "n",
            len(R),
            "failed",
            int((~K).sum()),
            "hide-only %.3f id3 %.3f plain %.3f aware %.3f | changed %d aware %.3f laplace %.3f | unchanged %.3f deleted %.3f"
            % (
                R[K, 0].mean(),
                R[K, 1].mean(),
                R[K, 2].mean(),
                R[K, 3].mean(),
                C.sum(),
                R[C, 3].mean(),
                R[C, 5].mean(),
                R[~F & ~C, 3].mean(),
                R[F, 3].mean(),
            ),
            flush=True,
        )


if __name__ == "__main__":
    t = time.process_time()
    run(sys.argv[1], sys.argv[2].split(","), int(sys.argv[3]), int(sys.argv[4]))
    print(time.process_time() - t)
