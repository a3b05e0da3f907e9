"""What the numbers given to an experiment must be."""

import numpy as np
import pytest

from assay.errors import ParameterError
from assay.experiments.checks import check_jobs, check_seconds, check_seed


def test_good_numbers_pass():
    assert check_seed(np.int64(3)) == 3
    for jobs in (None, 1, -1, np.int32(4)):
        check_jobs(jobs)
    for seconds in (0, 0.5, np.float32(2.0)):
        check_seconds(seconds, "budget")


@pytest.mark.parametrize("seed", [-1, 1.0, True, None, "0", [1]])
def test_seeds_are_whole_numbers_from_zero_up(seed):
    with pytest.raises(ParameterError, match="random_state must be a whole number from 0 up"):
        check_seed(seed)


@pytest.mark.parametrize("jobs", [0, 1.0, True, "2"])
def test_processes_are_counted(jobs):
    with pytest.raises(ParameterError, match="n_jobs must be a number of processes, or -1"):
        check_jobs(jobs)


@pytest.mark.parametrize("seconds", [-1, np.nan, np.inf, True, "1h", None])
def test_seconds_are_finite_and_not_negative(seconds):
    with pytest.raises(ParameterError, match="pilot must be a number of seconds from 0 up, got"):
        check_seconds(seconds, "pilot")
