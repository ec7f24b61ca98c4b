"""Figures of a study as the process beside the server sends them, with nothing in their tables."""

from commensurate.web.figures import AgreementView, CurveView, Figures, FiguresView, HistogramView, Table, TrustView

NO_TABLE = Table("", [], [])
MADE = Figures(
    answers=380,
    forgotten=0,
    complete=True,
    overview={},
    view=FiguresView(
        trust=TrustView("", False, None, None, None, looks=NO_TABLE, pairs=NO_TABLE),
        curve=CurveView(
            "<svg></svg>", "380", "80 %", "445 forecasts for learner 'gp' in 89 worlds", "0.1", "90 %", NO_TABLE
        ),
        no_curve=None,
        agreement=AgreementView("", None, shifts=NO_TABLE, repeats=NO_TABLE),
        contradictions=[],
        disagreements=NO_TABLE,
        ask_again=[],
        histogram=HistogramView("<svg></svg>", NO_TABLE, NO_TABLE, above=None, unsure=None),
    ),
)
