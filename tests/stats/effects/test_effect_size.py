"""Sizes have words, and the words have sources."""

import numpy as np
import pytest

from assay.stats.effects.effect_size import SCALES, EffectSize


@pytest.mark.parametrize("measure", SCALES)
def test_words_begin_where_their_source_says(measure):
    (small, medium, large), source = SCALES[measure]
    nothing = {"Vargha and Delaney's A": 0.5, "odds of who errs alone": 1.0}.get(measure, 0.0)
    words = [EffectSize(measure, v).word for v in (nothing, small, medium, large)]
    assert words == ["negligible", "small", "medium", "large"]
    assert source in str(EffectSize(measure, small))


def test_direction_does_not_matter():
    assert EffectSize("Cohen's d", -0.9).word == "large"
    assert EffectSize("Vargha and Delaney's A", 0.2).word == "large"
    assert EffectSize("odds of who errs alone", 0.0).word == "large"
    assert EffectSize("odds of who errs alone", 0.25).word == EffectSize("odds of who errs alone", 4.0).word


def test_without_an_interval_none_is_reported():
    assert "interval" not in str(EffectSize("Cohen's d", 1.0)) and np.isnan(EffectSize("Cohen's d", 1.0).low)
