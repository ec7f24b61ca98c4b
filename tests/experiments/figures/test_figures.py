"""The figures of the reproduction report say what the numbers say."""

import re
from html.parser import HTMLParser

import matplotlib
import numpy as np
import pytest

from commensurate.errors import InvalidInput
from commensurate.experiments.figures.curves import ONE_PERSON, Curve, CurvePanel, Mark, draw_curves
from commensurate.experiments.figures.error_bars import CdfPanel, draw_error_bars
from commensurate.experiments.figures.failure_rates import FailurePoint, FloorPoint, draw_failure_rates, draw_floor
from commensurate.experiments.figures.histograms import HistogramPanel, draw_histograms
from commensurate.report.style import ALGORITHM_COLOURS
from commensurate.report.svg.figure_files import save_figure, svg_of

ALGORITHMS = ("NAIVE", "CLUSTER", "MLP", "RF", "XGB")


def histogram(title="Adult", minimum=0.12, paper=0.1155):
    return HistogramPanel(title, (0.0, 0.5, 1.0, 2.0), (10, 70, 20), minimum, paper, 0.01)


def cdf(title="Relative error %"):
    shares = {name: (0.5 + 0.02 * i, 0.7, 0.9) for i, name in enumerate(ALGORITHMS)}
    lowest = {name: tuple(share - 0.05 for share in row) for name, row in shares.items()}
    highest = {name: tuple(share + 0.04 for share in row) for name, row in shares.items()}
    return CdfPanel(title, (0.0, 1.0, 5.0), shares, lowest, highest)


def curves(*last_errors):
    return [Curve(name, (100, 10_000), (50.0, last)) for name, last in zip(ALGORITHMS, last_errors)]


def failures():
    return [FailurePoint(family, name, 0.1, 0.4, 0.2, 0.01) for family in ("atoms", "dust") for name in ALGORITHMS[:2]]


def floor_points():
    return [FloorPoint(10, 0.5, 0.01, 0.4), FloorPoint(20, 0.45, 0.02, 0.3), FloorPoint(40, 0.4, None, 0.2)]


FIGURES = (
    lambda: draw_histograms([histogram(), histogram("Credit")]),
    lambda: draw_error_bars([cdf(), cdf("Absolute error / ε")]),
    lambda: draw_curves([CurvePanel("Adult", curves(1.0, 5.0))], band=ONE_PERSON),
    lambda: draw_failure_rates(failures()),
    lambda: draw_floor(floor_points(), {"CLUSTER": FloorPoint(39, 0.31, 0.01, 0.3)}),
)


@pytest.fixture(scope="module")
def svgs():
    """Every figure as it is put into a page."""
    return [svg_of(draw()) for draw in FIGURES]


def words_in(element):
    return {text.get_text() for text in element.findobj(matplotlib.text.Text)}


class Ids(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.references = [], set()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            elif name in ("href", "xlink:href"):
                self.references.add(value.removeprefix("#"))
            self.references.update(re.findall(r"url\(#([^)]*)\)", value or ""))

    handle_startendtag = handle_starttag


def test_the_height_of_each_bar_is_the_share_and_its_whisker_the_range():
    panel = cdf()
    axes = draw_error_bars([panel]).axes[0]
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == [share for row in panel.shares.values() for share in row]
    whiskers = [path.vertices[:, 1] for lines in axes.collections for path in lines.get_paths()]
    expected = [ends for name in ALGORITHMS for ends in zip(panel.lowest[name], panel.highest[name])]
    np.testing.assert_allclose(whiskers, expected)


def test_bars_of_one_threshold_stand_in_one_group_above_its_label():
    axes = draw_error_bars([cdf()]).axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0", "1", "5"]
    centres = np.array([bar.get_x() + bar.get_width() / 2 for bar in axes.patches]).reshape(len(ALGORITHMS), 3)
    np.testing.assert_array_equal(np.round(centres), np.tile([0.0, 1.0, 2.0], (len(ALGORITHMS), 1)))
    assert (np.diff(centres, axis=0) > 0).all()


def test_every_algorithm_is_in_the_legend_in_its_own_colour():
    legend = draw_error_bars([cdf(), cdf("Absolute error / ε")]).legends[0]
    shown = {text.get_text(): handle.get_facecolor() for text, handle in zip(legend.texts, legend.legend_handles)}
    assert shown == {name: matplotlib.colors.to_rgba(ALGORITHM_COLOURS[name]) for name in ALGORITHMS}


def test_an_algorithm_missing_from_the_first_panel_is_still_in_the_legend():
    one = CdfPanel("a", (1.0,), {"NAIVE": (0.5,)}, {"NAIVE": (0.5,)}, {"NAIVE": (0.5,)})
    two = CdfPanel("b", (1.0,), {"RF": (0.5,)}, {"RF": (0.5,)}, {"RF": (0.5,)})
    assert {text.get_text() for text in draw_error_bars([one, two]).legends[0].texts} == {"NAIVE", "RF"}


def test_a_histogram_names_epsilon_and_both_minima():
    figure = draw_histograms([histogram()])
    assert {"ε = 0.01", "our minimum 0.12", "paper's minimum 0.1155"} <= words_in(figure)
    assert [bar.get_height() for bar in figure.axes[0].patches] == [10, 70, 20]


def test_a_histogram_without_the_papers_minimum_has_no_line_for_it():
    assert not any("paper" in words for words in words_in(draw_histograms([histogram(paper=None)])))


@pytest.mark.parametrize(("ours", "papers"), [(0.12, 0.1155), (0.11, 0.1155)])
def test_the_line_of_a_larger_value_ends_below_the_label_of_a_smaller_one(ours, papers):
    axes = draw_histograms([histogram(minimum=ours, paper=papers)]).axes[0]
    lines = sorted(tuple(path.vertices[1]) for found in axes.collections for path in found.get_paths())
    heights = [height for _, height in lines]
    assert len(heights) == 3
    assert heights == sorted(heights, reverse=True)


def test_curves_far_apart_are_labelled_at_their_ends():
    figure = draw_curves([CurvePanel("Adult", curves(1.0, 10.0))])
    assert {"NAIVE", "CLUSTER"} <= words_in(figure.axes[0])
    assert not figure.legends


def test_curves_that_end_close_together_share_one_legend():
    figure = draw_curves([CurvePanel("Adult", curves(1.0, 1.01)), CurvePanel("Credit", curves(1.0, 10.0))])
    assert [text.get_text() for text in figure.legends[0].texts] == ["NAIVE", "CLUSTER"]
    assert not {"NAIVE", "CLUSTER"} & words_in(figure.axes[1])


def test_panels_of_curves_share_one_scale_and_show_the_marks():
    marks = (Mark("paper's NAIVE", 0.6),)
    figure = draw_curves([CurvePanel("Adult", curves(1.0), marks), CurvePanel("Credit", curves(30.0))], band=ONE_PERSON)
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert figure.axes[0].get_ylim()[0] < 0.6
    assert "paper's NAIVE" in words_in(figure.axes[0])
    assert ONE_PERSON.name in words_in(figure)


def test_a_curve_may_be_given_as_arrays():
    curve = Curve("NAIVE", np.array([100, 1000]), np.array([3.0, 1.0]))
    np.testing.assert_array_equal(draw_curves([CurvePanel("Adult", [curve])]).axes[0].lines[0].get_ydata(), [3.0, 1.0])


def test_a_short_scale_still_has_several_labels():
    axes = draw_curves([CurvePanel("Adult", [Curve("NAIVE", (100, 10_000), (3.0, 0.9))])]).axes[0]
    low, high = axes.get_ylim()
    assert sum(low <= tick <= high for tick in axes.get_yticks()) >= 2


def test_a_failure_rate_is_drawn_at_its_bound_with_two_standard_errors():
    figure = draw_failure_rates([FailurePoint("atoms", "NAIVE", 0.1, 0.4, 0.3, 0.02)])
    container = figure.axes[0].containers[0]
    np.testing.assert_allclose(container.lines[0].get_xydata(), [[0.4, 0.3]])
    np.testing.assert_allclose(container.lines[2][0].get_segments()[0][:, 1], [0.26, 0.34])


def test_the_shaded_region_lies_above_the_diagonal():
    axes = draw_failure_rates(failures()).axes[0]
    region = axes.collections[0].get_paths()[0]
    assert region.contains_point((0.1, 0.3))
    assert not region.contains_point((0.3, 0.1))


def test_a_fourth_family_starts_a_new_row_and_leaves_no_empty_axes():
    points = [FailurePoint(family, "NAIVE", 0.0, 0.4, 0.2, 0.01) for family in "abcd"]
    figure = draw_failure_rates(points)
    assert sum(axes.axison for axes in figure.axes) == 4
    assert figure.axes[3].get_subplotspec().rowspan.start == 1


def test_each_family_has_its_panel_and_each_algorithm_one_entry():
    figure = draw_failure_rates(failures())
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["atoms", "dust"]
    assert [text.get_text() for text in figure.legends[0].texts] == ["NAIVE", "CLUSTER"]


def test_the_words_for_the_failure_rates_count_those_above_the_bound():
    broken = FailurePoint("atoms", "NAIVE", 0.0, 0.1, 0.3, 0.01)
    assert "1 of 5 lie above it" in svg_of(draw_failure_rates([*failures(), broken]))


def test_what_no_learner_can_beat_is_shaded_up_to_the_floor():
    axes = draw_floor(floor_points()[:2], {}).axes[0]
    region = axes.collections[0].get_paths()[0]
    assert region.contains_point((15, 0.34))
    assert not region.contains_point((15, 0.36))


def test_other_learners_are_named_where_they_were_measured():
    figure = draw_floor(floor_points(), {"CLUSTER": FloorPoint(39, 0.31, 0.01, 0.3)})
    curve, cluster = figure.axes[0].containers
    np.testing.assert_allclose(curve.lines[0].get_xydata(), [[10, 0.5], [20, 0.45], [40, 0.4]])
    np.testing.assert_allclose(cluster.lines[0].get_xydata(), [[39, 0.31]])
    assert "CLUSTER" in [text.get_text() for text in figure.axes[0].texts]


def test_rare_masses_with_the_same_bound_share_a_label():
    points = [FailurePoint("atoms", "NAIVE", mass, 1.0, 0.5, 0.01) for mass in (0.6, 1.0)]
    assert "0.6, 1" in [text.get_text() for text in draw_failure_rates(points).axes[0].texts]


def test_a_rate_that_was_measured_once_has_no_whisker():
    (container,) = draw_failure_rates([FailurePoint("atoms", "NAIVE", 0.1, 0.4, 0.3, None)]).axes[0].containers
    np.testing.assert_allclose(container.lines[2][0].get_segments()[0][:, 1], [0.3, 0.3])


def test_both_files_say_what_they_rest_on(tmp_path):
    save_figure(draw_histograms([histogram()]), tmp_path / "adult", "seed: 7; <digest>")
    assert "seed: 7; &lt;digest&gt;" in (tmp_path / "adult.svg").read_text(encoding="utf-8")
    assert b"seed: 7; <digest>" in (tmp_path / "adult.png").read_bytes()


@pytest.mark.parametrize("number", range(5))
def test_the_same_numbers_give_the_same_svg(svgs, number):
    assert svg_of(FIGURES[number]()) == svgs[number]


def test_the_readers_own_settings_change_nothing():
    plain = svg_of(draw_histograms([histogram()]))
    with matplotlib.rc_context({"axes.facecolor": "black", "font.size": 30.0, "svg.fonttype": "path"}):
        assert svg_of(draw_histograms([histogram()])) == plain
        assert matplotlib.rcParams["font.size"] == 30.0


def test_figures_on_one_page_share_no_id_and_every_reference_is_met(svgs):
    found = Ids()
    found.feed("".join(svgs))
    assert len(found.ids) == len(set(found.ids))
    assert found.references
    assert found.references <= set(found.ids)


@pytest.mark.parametrize("number", range(5))
def test_an_inline_figure_has_a_text_alternative_and_keeps_to_itself(svgs, number):
    svg = svgs[number]
    assert svg.startswith("<svg ")
    assert svg.endswith("</svg>")
    assert 'role="img"' in svg
    assert re.search(r'aria-labelledby="(\w+)".*?<title id="\1">[^<]{20,}</title>', svg)
    assert "<style" not in svg
    assert "http" not in svg


def test_names_in_a_figure_are_escaped():
    svg = svg_of(draw_histograms([histogram("<script>alert(1)</script>")]))
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg


def test_a_dollar_sign_in_a_name_is_not_taken_for_mathematics():
    assert "$x_1$ loans" in svg_of(draw_histograms([histogram("$x_1$ loans")]), title="loans")


def test_a_given_title_replaces_the_figures_own_words():
    assert ">A &amp; B</title>" in svg_of(draw_histograms([histogram()]), title="A & B")


def test_a_figure_is_saved_as_svg_and_png_and_the_stem_may_have_a_dot(tmp_path):
    figure = draw_histograms([histogram()])
    save_figure(figure, tmp_path / "adult-0.01")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["adult-0.01.png", "adult-0.01.svg"]
    assert (tmp_path / "adult-0.01.png").read_bytes().startswith(b"\x89PNG")
    svg = (tmp_path / "adult-0.01.svg").read_text(encoding="utf-8")
    assert "<svg" in svg
    assert "<dc:date" not in svg
    first = [path.read_bytes() for path in sorted(tmp_path.iterdir())]
    save_figure(draw_histograms([histogram()]), tmp_path / "adult-0.01")
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == first


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: HistogramPanel("h", (0.0, 1.0), (1, 2), 0.1, None, 0.01), "one edge more than counts"),
        (lambda: CdfPanel("c", (1.0,), {"NAIVE": (0.5,)}, {}, {"NAIVE": (0.6,)}), "lowest of 'c' must name"),
        (lambda: CdfPanel("c", (1.0,), {"A": (0.5, 1.0)}, {"A": (0.5,)}, {"A": (0.6,)}), "one value per threshold"),
        (lambda: Curve("NAIVE", (1, 2), (1.0,)), "one error per number of questions"),
        (lambda: Curve("NAIVE", (1, 2), (1.0, 0.0)), "must be positive"),
        (lambda: draw_failure_rates([]), "at least one measured failure rate"),
        (lambda: draw_floor([], {}), "at least one measured failure rate"),
    ],
)
def test_numbers_that_do_not_fit_together_are_refused(build, message):
    with pytest.raises(InvalidInput, match=message):
        build()
