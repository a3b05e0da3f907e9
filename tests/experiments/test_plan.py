"""Plans: what is going to run."""

import numpy as np

from assay.experiments.experiment import Experiment

rng = np.random.default_rng(0)
SMALL = (rng.normal(size=(30, 2)) + np.arange(30)[:, None] % 2, np.arange(30) % 2)
OTHER = (rng.normal(size=(40, 3)) + np.arange(40)[:, None] % 3, np.arange(40) % 3)
DATA = {"small": SMALL, "other": OTHER}


def experiment(learners=("majority", "lda", "naive bayes"), data=DATA, **options):
    return Experiment(list(learners), data, **{"design": "2x3", "metrics": ["error", "log-loss"], **options})


def test_the_plan_tells_what_is_left_and_how_long_it_takes():
    made = experiment(["majority", "lda"])
    plan = made.plan(pilot=0)
    assert (plan.cells, plan.left, plan.seconds) == (24, 24, None)
    assert made.run(budget=0.0).missing == 24  # nothing was run to make the plan
    assert "How long that takes was not measured." in str(plan)
    assert plan.order == [
        (j.trial.problem.name, j.trial.entrant.name, j.split.repetition, j.split.fold) for j in made.jobs
    ]
    plan = made.plan(pilot=30.0)
    assert plan.left == 20 and plan.seconds > 0
    assert "24 cells, 4 of them finished, 20 to run." in str(plan)
    made.run()
    assert "Nothing is left to do." in str(made.plan())
    assert plan.data[0] == {"name": "small", "rows": 30, "columns": 2, "classes": 2, "splits": 6, "notes": []}


def test_the_run_order_is_recorded_as_planned():
    made = experiment()
    order = made.plan(pilot=0).order
    assert made.run().run_order == order
