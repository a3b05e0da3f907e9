"""The data sets that come with the package; none needs a network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.tables.data.dataset import Dataset
from assay.tables.data.files import read_packaged
from assay.tables.schema import Column, Schema
from assay.tables.table import Table

ALPAYDIN = "Alpaydin, Introduction to Machine Learning"
_LOADERS: dict[str, tuple[Callable[[], Dataset], str]] = {}


def datasets() -> dict[str, str]:
    """The names of the built-in data sets, each with a line that says what it is.

    >>> from assay.tables.data import datasets
    >>> datasets()["apples"]
    'ten apples of two varieties: three nominal columns and a weight'
    """
    return {name: line for name, (_, line) in sorted(_LOADERS.items())}


def load_dataset(name: str) -> Dataset:
    """The built-in data set of that name; ``datasets()`` lists them.

    >>> from assay.tables.data import load_dataset
    >>> load_dataset("t5").shape
    (11, 2)
    """
    key = name.lower().replace("-", "_").replace(" ", "_")
    if key not in _LOADERS:
        raise ParameterError(f"There is no built-in data set {name!r}. There are: {', '.join(datasets())}.")
    return _LOADERS[key][0]()


def _built_in(name: str, line: str) -> Callable[[Callable[..., Dataset]], Callable[..., Dataset]]:
    def register(loader: Callable[..., Dataset]) -> Callable[..., Dataset]:
        _LOADERS[name] = (loader, line)
        return loader

    return register


@_built_in("apples", "ten apples of two varieties: three nominal columns and a weight")
def load_apples() -> Dataset:
    """Ten apples, Fuji or Guoguang, by base colour, shape, taste and weight in grams.

    >>> from assay.tables.data import load_apples
    >>> load_apples().X.schema
    Schema: 4 columns
      colour  nominal  green, yellow, yellow-green
      shape   nominal  oblate, round
      taste   nominal  sour-sweet, sweet
      weight  numeric
    """
    return _packaged(
        "apples",
        "variety",
        "Apples of two varieties.",
        "the worked example of a textbook chapter on classification",
    )


@_built_in("charity_donors", "eleven people by age and salary, six of them donors")
def load_charity_donors() -> Dataset:
    """Eleven people by age and salary; who gives to charity?

    A reconstruction: what the book says of its table holds for this one (P(Age > 50) = P(Donor) = 6/11,
    P(Age > 50 | Donor) = 5/6, separable by Age/50 + Salary/50000 = 2), yet the single ages and salaries may
    differ from the printed ones. ``row_names`` holds the people's names.

    >>> from assay.tables.data import load_charity_donors
    >>> load_charity_donors()
    charity_donors: 11 rows, 2 columns (2 numeric)
      target Donor: N 5, Y 6
    """
    return _packaged(
        "charity_donors",
        "Donor",
        "Donors by age and salary; a reconstruction.",
        "after Aggarwal (2015), Data Mining: The Textbook, table 10.1",
        names="name",
    )


@_built_in("weather", "fourteen days: does one play? two nominal and two numeric columns")
def load_weather(numeric: bool = True) -> Dataset:
    """Fourteen days' outlook, temperature, humidity and wind, and whether one played.

    Parameters
    ----------
    numeric : True for temperature and humidity as numbers, False for all four as categories

    Examples
    --------
    >>> from assay.tables.data import load_weather
    >>> load_weather(numeric=False)
    weather_nominal: 14 rows, 4 columns (4 nominal)
      target play: yes 9, no 5
    """
    name = "weather_numeric" if numeric else "weather_nominal"
    return _packaged(name, "play", "Days fit for playing.", "J. R. Quinlan 1986, in the version of Weka")


@_built_in("weather_nominal", "the fourteen days with temperature and humidity in words")
def _load_weather_nominal() -> Dataset:
    return load_weather(numeric=False)


@_built_in(
    "contact_lenses", "24 patients: hard, soft or no contact lenses; all nominal, complete, noise-free"
)
def load_contact_lenses() -> Dataset:
    """Which contact lenses fit: all 24 combinations of four nominal attributes, without noise.

    >>> from assay.tables.data import load_contact_lenses
    >>> load_contact_lenses()
    contact_lenses: 24 rows, 4 columns (4 nominal)
      target contact-lenses: soft 5, hard 4, none 15
    """
    return _packaged(
        "contact_lenses", "contact-lenses", "Contact lenses by four findings.", "Cendrowska 1987"
    )


@_built_in("german_credit", "1000 applicants for credit, 300 bad risks; mixed columns, costs 5 to 1")
def load_german_credit() -> Dataset:
    """A thousand applicants for credit in mixed columns: good or bad risk?

    To take a bad risk for a good one costs five times as much as the other mistake.

    >>> from assay.tables.data import load_german_credit
    >>> load_german_credit()
    german_credit: 1000 rows, 20 columns (7 numeric, 13 nominal)
      target class: good 700, bad 300
    """
    return _packaged("german_credit", "class", "Credit risks.", "H. Hofmann, UCI Statlog (German Credit)")


@_built_in(
    "breast_cancer_ljubljana", "286 patients, nominal findings with missing values: does the cancer recur?"
)
def load_breast_cancer_ljubljana() -> Dataset:
    """Recurrence of breast cancer: 286 patients, nine nominal findings, nine of the entries missing.

    Not to be confused with ``load_breast_cancer``, which holds measurements of cell nuclei.

    >>> from assay.tables.data import load_breast_cancer_ljubljana
    >>> load_breast_cancer_ljubljana()
    breast_cancer_ljubljana: 286 rows, 9 columns (9 nominal), 9 missing
      target class: no-recurrence-events 201, recurrence-events 85
    """
    return _packaged(
        "breast_cancer_ljubljana",
        "class",
        "Recurrence of breast cancer within five years.",
        "M. Zwitter and M. Soklic, University Medical Centre Ljubljana",
    )


@_built_in("breast_cancer", "569 tumours by 30 measurements of cell nuclei: malignant or benign?")
def load_breast_cancer() -> Dataset:
    """Breast cancer Wisconsin (diagnostic): 30 measurements of cell nuclei, malignant (0) or benign (1).

    Code 0 is malignant: ``classes`` keeps the source's order, so a class is best named by its name.

    >>> from assay.tables.data import load_breast_cancer
    >>> data = load_breast_cancer()
    >>> data
    breast_cancer: 569 rows, 30 columns (30 numeric)
      target diagnosis: malignant 212, benign 357
    >>> data.classes
    ('malignant', 'benign')
    """
    return _from_sklearn(
        "breast_cancer", "diagnosis", "Tumours.", "W. Wolberg, O. Mangasarian, N. Street 1995, UCI"
    )


@_built_in("iris", "150 irises of three species by length and width of sepals and petals")
def load_iris(variant: str = "fisher") -> Dataset:
    """Fifty irises of each of three species, by four lengths.

    Parameters
    ----------
    variant : "fisher" or "uci"
        The file of the UCI repository differs from Fisher's paper of 1936 in two rows of setosa, the 35th and
        the 38th (rows 34 and 37 counted from 0): both read 4.9, 3.1, 1.5, 0.1 there, against 4.9, 3.1, 1.5,
        0.2 and 4.9, 3.6, 1.4, 0.1 in the paper. scikit-learn and R ship Fisher's values, Weka the others.

    Examples
    --------
    >>> from assay.tables.data import load_iris
    >>> load_iris().X.values[[34, 37]]
    array([[4.9, 3.1, 1.5, 0.2],
           [4.9, 3.6, 1.4, 0.1]])
    >>> load_iris(variant="uci").X.values[37]
    array([4.9, 3.1, 1.5, 0.1])
    """
    if variant not in ("fisher", "uci"):
        raise ParameterError(f"load_iris: variant must be 'fisher' or 'uci', got {variant!r}.")
    data = _from_sklearn("iris", "species", "Irises.", "R. A. Fisher 1936")
    if variant == "uci":
        data.X.values[[34, 37]] = [4.9, 3.1, 1.5, 0.1]
    return data


@_built_in("wine", "178 wines of three growers by 13 chemical measurements")
def load_wine() -> Dataset:
    """Wines of three growers of one region, by 13 chemical measurements.

    >>> from assay.tables.data import load_wine
    >>> load_wine()
    wine: 178 rows, 13 columns (13 numeric)
      target grower: class_0 59, class_1 71, class_2 48
    """
    return _from_sklearn("wine", "grower", "Wines.", "M. Forina and others 1988, UCI")


@_built_in("digits", "1797 handwritten digits as 8 x 8 images")
def load_digits() -> Dataset:
    """Handwritten digits as images of 8 x 8 pixels, each from 0 to 16.

    >>> from assay.tables.data import load_digits
    >>> load_digits().shape
    (1797, 64)
    """
    return _from_sklearn("digits", "digit", "Handwritten digits.", "E. Alpaydin and C. Kaynak 1998, UCI")


@_built_in("xor", "the four points of exclusive or: no line separates them")
def load_xor(mapped: bool = False) -> Dataset:
    r"""The four points of exclusive or, classes -1 and +1.

    Parameters
    ----------
    mapped : True gives the points after :math:`\varphi_1 = 2(x_1 - \tfrac12)`,
        :math:`\varphi_2 = 4(x_1 - \tfrac12)(x_2 - \tfrac12)`, which the line :math:`\varphi_2 = 0` separates

    Examples
    --------
    >>> from assay.tables.data import load_xor
    >>> load_xor(mapped=True).X.values.tolist(), load_xor().y.tolist()
    ([[-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]], [-1, 1, 1, -1])
    """
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([-1, 1, 1, -1])
    if mapped:
        centred = X - 0.5
        X = np.column_stack([2 * centred[:, 0], 4 * centred[:, 0] * centred[:, 1]])
    names = ("phi1", "phi2") if mapped else ("x1", "x2")
    table = Table(X, Schema([Column(name) for name in names]))
    return Dataset("xor", table, y, "y", (-1, 1), "Exclusive or.", "Minsky and Papert (1969), Perceptrons")


@_built_in("family_cars", "nine cars by price and engine power: family cars fill a rectangle")
def load_family_cars() -> Dataset:
    """Four family cars and five others, by price and engine power (both from 0 to 10).

    >>> from assay.tables.data import load_family_cars
    >>> load_family_cars()
    family_cars: 9 rows, 2 columns (2 numeric)
      target family: no 5, yes 4
    """
    return _packaged(
        "family_cars", "family", "Family cars by price and power.", f"after {ALPAYDIN}, section 2.1"
    )


@_built_in("t5", "eleven points of two overlapping classes in the plane")
def load_t5() -> Dataset:
    """Five points of class 1 and six of class 2 in the plane, for checking discriminants by hand.

    >>> from assay.tables.data import load_t5
    >>> load_t5().X.values.mean(axis=0).round(6)
    array([4.636364, 3.454545])
    """
    return _packaged("t5", "class", "Two overlapping classes.", f"after {ALPAYDIN}, section 5.2", whole=True)


@_built_in("colour_size", "seven things by colour and size, two classes")
def load_colour_size() -> Dataset:
    """Seven things by colour and size, for checking categorical naive Bayes by hand.

    >>> from assay.tables.data import load_colour_size
    >>> load_colour_size()
    colour_size: 7 rows, 2 columns (2 nominal)
      target class: A 3, B 4
    """
    return _packaged("colour_size", "class", "Two nominal columns.", f"after {ALPAYDIN}, section 5.7")


@_built_in("documents", "five documents of four words, zero or one each, two classes")
def load_documents() -> Dataset:
    """Five documents, by which of four words they contain, for checking Bernoulli naive Bayes by hand.

    >>> from assay.tables.data import load_documents
    >>> load_documents()
    documents: 5 rows, 4 columns (4 numeric)
      target class: 0 3, 1 2
    """
    return _packaged("documents", "class", "Bags of words.", f"after {ALPAYDIN}, section 5.7", whole=True)


@_built_in("transactions", "six baskets of milk, bananas and chocolate; no target")
def load_transactions() -> Dataset:
    """Six baskets: 1 where the customer bought the column's item. There is no target.

    >>> from assay.tables.data import load_transactions
    >>> load_transactions().X.values.sum(axis=0)
    array([4., 2., 5.])
    """
    table, _ = read_packaged("transactions")
    return Dataset("transactions", table, description="Baskets.", source=f"{ALPAYDIN}, exercise 3.7")


@_built_in("eurodist", "21 European cities by their distances by road, in kilometres; no target")
def load_eurodist() -> Dataset:
    """The distances by road between 21 cities of Europe: a square table. There is no target.

    >>> from assay.tables.data import load_eurodist
    >>> roads = load_eurodist()
    >>> roads.row_names[:2], float(roads.X.values[0, 1])
    (('Athens', 'Barcelona'), 3313.0)
    """
    table, strings = read_packaged("eurodist")
    source = "eurodist of R's package datasets, from The Cambridge Encyclopaedia"
    return Dataset("eurodist", table, description="Roads.", source=source, row_names=tuple(strings["city"]))


@_built_in("ranks", "100 points with 5 positives as four algorithms rank them")
def load_ranks() -> Dataset:
    """A hundred points, five of them positive, and the rank (1 = most positive) that four algorithms give each.

    The ranks of the positives are the source's; the negatives fill the ranks left over in order. Score a
    column by its negative: a smaller rank is a higher score.

    >>> from assay.tables.data import load_ranks
    >>> load_ranks().X.values[:5].T
    array([[ 1.,  5.,  8., 15., 20.],
           [ 3.,  7., 11., 13., 15.],
           [17., 36., 45., 59., 66.],
           [ 1.,  2.,  3.,  4.,  5.]])
    """
    positives = {
        "A": (1, 5, 8, 15, 20),
        "B": (3, 7, 11, 13, 15),
        "random": (17, 36, 45, 59, 66),
        "oracle": (1, 2, 3, 4, 5),
    }
    ranks = [[*first, *sorted(set(range(1, 101)) - set(first))] for first in positives.values()]
    table = Table(np.array(ranks, dtype=np.float64).T.copy(), Schema([Column(name) for name in positives]))
    y = np.array(["positive"] * 5 + ["negative"] * 95)
    return Dataset(
        "ranks",
        table,
        y,
        "class",
        ("negative", "positive"),
        "Ranks.",
        "Aggarwal (2015), Data Mining: The Textbook, table 10.2",
    )


@_built_in("cubic", "thirteen noisy points of a cubic; the target is a number")
def load_cubic() -> Dataset:
    """Thirteen points of x^3 - 1.5 x with noise of standard deviation 0.25; the target r is a number.

    >>> from assay.tables.data import load_cubic
    >>> load_cubic()
    cubic: 13 rows, 1 column (1 numeric)
      target r: numbers from -1.09 to 0.73
    """
    table, _ = read_packaged("cubic")
    X = Table(table.values[:, :1].copy(), Schema(table.schema.columns[:1]))
    return Dataset(
        "cubic", X, table.values[:, 1].copy(), "r", (), "A noisy cubic.", f"after {ALPAYDIN}, section 16.6"
    )


@_built_in("diabetes", "442 patients by ten measurements; how far diabetes has come a year later, a number")
def load_diabetes() -> Dataset:
    """Diabetes patients by age, sex, body mass index, blood pressure and six blood values, as measured.

    The target is a measure of how far the disease has come a year later, from 25 to 346. (scikit-learn's columns are
    centred and scaled; these are not.)

    >>> from assay.tables.data import load_diabetes
    >>> load_diabetes()
    diabetes: 442 rows, 10 columns (9 numeric, 1 nominal)
      target progression: numbers from 25 to 346
    """
    from sklearn import datasets as bundled

    bunch = bundled.load_diabetes(scaled=False)
    sex = bunch.feature_names.index("sex")
    values = np.array(bunch.data, dtype=np.float64, order="C")
    values[:, sex] -= 1  # the codes of the categories "1" and "2"
    columns = [Column(c) if c != "sex" else Column(c, "nominal", ("1", "2")) for c in bunch.feature_names]
    source = "Efron, Hastie, Johnstone and Tibshirani 2004, Least Angle Regression"
    return Dataset(
        "diabetes", Table(values, Schema(columns)), bunch.target.astype(np.float64), "progression", (),
        "Diabetes patients.", source,
    )  # fmt: skip


@_built_in("linnerud", "20 men by three exercises; their weight, waist or pulse is to be predicted, a number")
def load_linnerud(target: str = "Weight") -> Dataset:
    """Twenty middle-aged men in a fitness club: chin-ups, sit-ups, jumps; weight (pounds), waist (inches) and pulse.

    Parameters
    ----------
    target : "Weight", "Waist" or "Pulse"

    Examples
    --------
    >>> from assay.tables.data import load_linnerud
    >>> load_linnerud("Pulse")
    linnerud: 20 rows, 3 columns (3 numeric)
      target Pulse: numbers from 46 to 74
    """
    from sklearn import datasets as bundled

    bunch = bundled.load_linnerud()
    names = list(bunch.target_names)
    if target not in names:
        raise ParameterError(f"load_linnerud: target must be one of {', '.join(names)}, got {target!r}.")
    table = Table(
        np.array(bunch.data, dtype=np.float64, order="C"), Schema([Column(c) for c in bunch.feature_names])
    )
    y = bunch.target[:, names.index(target)].astype(np.float64)
    source = "M. Tenenhaus 1998, La regression PLS; measured by A. C. Linnerud"
    return Dataset("linnerud", table, y, target, (), "Men in a fitness club.", source)


def _packaged(
    name: str, target: str, description: str, source: str, names: str = "", whole: bool = False
) -> Dataset:
    """A packaged table with its target cut out; ``whole`` reads the class names as whole numbers."""
    table, strings = read_packaged(name)
    j = table.schema.index(target)
    features = [i for i in range(len(table.schema)) if i != j]
    classes: tuple[Any, ...] = table.schema[j].categories
    if whole:
        classes = tuple(int(label) for label in classes)
    y = np.array(classes)[table.values[:, j].astype(np.intp)]
    X = Table(
        np.ascontiguousarray(table.values[:, features]),
        Schema([table.schema[i] for i in features]),
        not np.isnan(table.values[:, features]).any(),
    )
    return Dataset(name, X, y, target, classes, description, source, tuple(strings.get(names, ())))


def _from_sklearn(name: str, target: str, description: str, source: str) -> Dataset:
    """A data set that scikit-learn's package carries, with class names for codes."""
    from sklearn import datasets as bundled

    bunch = getattr(bundled, f"load_{name}")()
    classes = tuple(bunch.target_names.tolist())
    table = Table(
        np.array(bunch.data, dtype=np.float64, order="C"),
        Schema([Column(str(column)) for column in bunch.feature_names]),
    )
    y = np.array(classes)[bunch.target]
    return Dataset(name, table, y, target, classes, description, source)
