import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import DataError
from stb_env.runs.metrics.agreement import cohen_kappa, krippendorff_alpha, observed_agreement, shares

UNITS = st.lists(st.lists(st.sampled_from(["A", "B", "tie"]), max_size=4), max_size=8)


def test_shares_keep_the_order_of_the_known_labels_and_name_the_absent_ones():
    found = shares(["tie", "win", "tie", "tie"], ("win", "lose", "tie"))
    assert list(found.items()) == [("win", 0.25), ("lose", 0.0), ("tie", 0.75)]
    assert shares([], ("win",)) == {"win": 0.0}


def test_a_label_that_is_not_known_is_refused_by_name():
    with pytest.raises(DataError, match=r"^unknown label 'won'; expected one of win, lose$"):
        shares(["win", "won"], ("win", "lose"))


def test_cohens_kappa_is_the_one_worked_out_by_hand():
    # Both yes 20, both no 15, first alone 5, second alone 10: observed 0.7, chance 0.5 * 0.6 + 0.5 * 0.4.
    first = ["yes"] * 20 + ["yes"] * 5 + ["no"] * 10 + ["no"] * 15
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa(first, second) == pytest.approx(0.4)


def test_cohens_kappa_is_one_below_nothing_or_undefined_at_its_ends():
    assert cohen_kappa(["a", "b"], ["a", "b"]) == 1.0
    assert cohen_kappa(["a", "b"], ["b", "a"]) == -1.0
    assert cohen_kappa([], []) is None
    assert cohen_kappa(["a", "a"], ["a", "a"]) is None


def test_annotators_of_different_units_are_refused():
    with pytest.raises(DataError, match=r"^two annotators must label the same units, got 1 and 2 labels$"):
        cohen_kappa(["a"], ["a", "b"])


def test_krippendorffs_alpha_is_the_one_of_his_example_with_missing_labels():
    # Krippendorff (2011), nominal data with four observers, units 1 to 12: alpha = 0.743.
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
    units = [[str(label) for label in unit if label] for unit in zip(*observers, strict=True)]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=0.0005)


def test_units_with_one_label_say_nothing_of_agreement():
    assert observed_agreement([["A"], []]) is None
    assert krippendorff_alpha([["A"], ["B"]]) is None
    assert observed_agreement([["A", "A"], ["B"]]) == 1.0


def test_observed_agreement_counts_pairs_of_annotators():
    # 3 of 3 pairs agree, then 1 of 3.
    assert observed_agreement([["A"] * 3, ["A", "A", "tie"]]) == pytest.approx((1 + 1 / 3) / 2)


@given(UNITS)
def test_alpha_never_exceeds_one_and_ignores_the_order_of_units(units):
    alpha = krippendorff_alpha(units)
    assert alpha is None or alpha <= 1 + 1e-12
    again = krippendorff_alpha(units[::-1])
    assert again == (alpha if alpha is None else pytest.approx(alpha))
