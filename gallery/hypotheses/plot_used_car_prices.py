"""
The price of used cars
======================

Left: the price falls with the mileage, and the line of least squares says by how much (the cars are synthetic). Right:
what a car has kept of its price when new falls with the mileage alike for cheap and dear cars; so a model of the ratio
prices a car that cost more than any in the training rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import LinearRegression
from assay.prepare import TransformedTargetRegressor
from assay.tables.generators import make_used_cars

cars = make_used_cars(120, random_state=0)
mileage, new, price = cars.X.values[:, 1], cars.X.values[:, 2], cars.y
columns = cars.X.select([1, 2])
line = LinearRegression().fit(mileage[:, None], price)
ratio = TransformedTargetRegressor(LinearRegression(), transformer="log", ratio_to="new price").fit(
    columns, price
)
grid = np.linspace(0, mileage.max(), 200)
kept = ratio.predict({"mileage": grid, "new price": np.full(200, new.mean())}) / new.mean()
dear = ratio.predict({"mileage": [50_000.0, 50_000.0], "new price": [20_000.0, 100_000.0]})

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.3), layout="constrained")
left.plot(mileage / 1e3, price / 1e3, "x", color=class_colour(0))
slope = line.coef_[0] * 1e4
left.plot(grid / 1e3, line.predict(grid[:, None]) / 1e3, color=class_colour(1), lw=1.8)
left.set(
    xlabel="mileage, 1000 km", ylabel="price, 1000", ylim=(0, None), title=f"{slope:.0f} for each 10 000 km"
)
points = right.scatter(mileage / 1e3, price / new, c=new / 1e3, cmap="viridis", s=22)
right.plot(grid / 1e3, kept, color=class_colour(1), lw=1.8)
right.set(
    xlabel="mileage, 1000 km",
    ylabel="price / new price",
    ylim=(0, 1.2),
    title="what is left of the new price",
)
figure.colorbar(points, ax=right, label="new price, 1000")
plt.show()
