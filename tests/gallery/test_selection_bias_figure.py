"""The numbers of the figure about columns that were chosen out of noise."""

from tests.gallery.drawing import draw


def test_of_noise_the_folds_that_chose_promise_what_new_rows_do_not_keep():
    variables = draw("plot_selection_bias.py")
    searched, honest = variables["searched"], variables["honest"]
    assert searched["noise"].score_ < 0.3
    assert honest["noise"].low < 0.5 < honest["noise"].high and honest["noise"].optimism > 0.1
    assert honest["wines"].mean < 0.1
