"""Elements are laid out as far apart as they are dissimilar, and what a plane cannot show is told."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from commensurate.report.clusters.embedding import embed_flat


def test_distances_in_a_plane_are_found_again():
    points = np.random.default_rng(0).normal(size=(40, 2))
    found = embed_flat(cdist(points, points))
    np.testing.assert_allclose(cdist(found.places, found.places), cdist(points, points), atol=0.02)
    assert found.stress < 0.01


def test_stress_and_mean_error_are_as_defined():
    points = np.random.default_rng(0).normal(size=(30, 8))
    wanted = cdist(points, points)
    found = embed_flat(wanted)
    errors = cdist(found.places, found.places) - wanted
    assert found.stress == pytest.approx(np.sqrt((errors**2).sum() / (wanted**2).sum()))
    assert found.mean_error == pytest.approx(abs(errors).sum() / wanted.sum())
    assert found.stress > 0.1


def test_the_layout_is_better_than_the_first_two_axes():
    points = np.random.default_rng(0).normal(size=(60, 6))
    wanted = cdist(points, points)
    centred = points - points.mean(axis=0)
    flat = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    on_axes = np.sqrt(((cdist(flat, flat) - wanted) ** 2).sum() / (wanted**2).sum())
    assert embed_flat(wanted).stress < on_axes


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_the_scale_changes_nothing_but_the_scale(scale):
    points = np.random.default_rng(0).normal(size=(20, 5))
    first, second = embed_flat(cdist(points, points)), embed_flat(scale * cdist(points, points))
    np.testing.assert_allclose(second.places, scale * first.places, rtol=1e-3, atol=1e-6 * scale)
    assert second.stress == pytest.approx(first.stress, rel=1e-3)


def test_the_picture_is_wide_rather_than_high_and_the_first_element_is_at_its_upper_left():
    points = np.random.default_rng(3).normal(size=(50, 2)) * [1.0, 5.0]
    places = embed_flat(cdist(points, points)).places
    assert np.ptp(places[:, 0]) > np.ptp(places[:, 1])
    assert places[0, 0] <= 0.0 <= places[0, 1]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_elements_that_do_not_differ_lie_in_one_place(n):
    found = embed_flat(np.zeros((n, n)))
    assert found.places.tolist() == [[0.0, 0.0]] * n
    assert found.stress == 0.0


def test_two_elements_lie_as_far_apart_as_they_are_dissimilar():
    places = embed_flat(np.array([[0.0, 3.0], [3.0, 0.0]])).places
    assert np.linalg.norm(places[0] - places[1]) == pytest.approx(3.0)


def test_what_is_no_metric_is_laid_out_with_errors():
    # one element is near to all others, which are far from each other
    matrix = 1.0 - np.eye(6)
    matrix[0, 1:] = matrix[1:, 0] = 0.01
    found = embed_flat(matrix)
    assert np.isfinite(found.places).all()
    assert found.stress > 0.2


def test_the_same_dissimilarities_give_the_same_layout():
    points = np.random.default_rng(0).normal(size=(30, 4))
    first, second = (embed_flat(cdist(points, points)).places for _ in range(2))
    np.testing.assert_array_equal(first, second)
