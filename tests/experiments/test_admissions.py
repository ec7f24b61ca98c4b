import numpy as np

from commensurate import groups_from_tables
from commensurate.experiments.admissions import _VIEW, CITY, ORDERS, RURAL, AdmissionsWorld
from commensurate.groups.group import elements_of


def test_the_two_school_systems_share_no_column():
    world = AdmissionsWorld.draw()
    assert not set(world.tables[CITY].columns) & set(world.tables[RURAL].columns)


def test_the_same_seed_draws_the_same_applicants():
    one, two = AdmissionsWorld.draw(seed=3), AdmissionsWorld.draw(seed=3)
    assert one.tables[CITY].equals(two.tables[CITY])
    assert one.held_out[RURAL].equals(two.held_out[RURAL])


def test_the_truth_obeys_m1_and_m2_for_the_encoded_tables():
    world = AdmissionsWorld.draw(seed=11)
    encodings = {e.name: e.space for e in elements_of(groups_from_tables(world.tables, orders=ORDERS))}
    rows = {name: world.tables[name].sample(400, random_state=k) for k, name in enumerate((CITY, RURAL))}
    other = {name: world.tables[name].sample(400, random_state=9 + k) for k, name in enumerate((CITY, RURAL))}
    base = world.truth(rows[CITY], rows[RURAL])
    for name in (CITY, RURAL):
        space = encodings[name]
        moved = {**rows, name: other[name]}
        distance = space.metric.paired(space.points_of(rows[name]), space.points_of(other[name]))
        assert (np.abs(world.truth(moved[CITY], moved[RURAL]) - base) <= distance + 1e-12).all()


def test_the_committee_views_are_1_lipschitz():
    for view in _VIEW.values():
        for overcome in view.overcome:
            assert np.linalg.norm(np.vstack([view.achieved, overcome]), 2) <= 1.0


def test_both_things_that_can_be_overcome_count_for_some():
    world = AdmissionsWorld.draw()
    for name, view in _VIEW.items():
        better = np.argmax(view.scaled(world.tables[name]) @ view.overcome.T, axis=1)
        assert 0.1 < better.mean() < 0.9


def test_no_linear_view_explains_what_the_committee_sees():
    world = AdmissionsWorld.draw()
    for name, view in _VIEW.items():
        columns = view.scaled(world.tables[name])
        seen = view.view(world.tables[name])
        with_constant = np.column_stack([columns, np.ones(len(columns))])
        fitted = with_constant @ np.linalg.lstsq(with_constant, seen, rcond=None)[0]
        # a linear view would leave nothing but rounding
        assert (np.abs(fitted - seen).mean(axis=0) > 1e-3).all()
