"""The same work here and elsewhere: results in order, ended when nobody waits."""

from joblib import parallel_config

from assay.evaluate.work import alone, each


def test_results_come_in_order_from_threads_too():
    wanted = [i * i for i in range(20)]
    assert list(each(pow, ((i, 2) for i in range(20)), 1)) == wanted
    with parallel_config("threading", n_jobs=2):
        assert not alone(None) and alone(1)
        assert list(each(pow, ((i, 2) for i in range(20)), None)) == wanted


def test_work_that_nobody_waits_for_is_not_begun():
    begun = []
    results = each(begun.append, ((i,) for i in range(100)), None)
    next(results)
    results.close()
    assert begun == [0]
