"""
A decision plane in space
=========================

The points with :math:`w^Tx + w_0 = 0` form a plane. Its normal w points to the positive side; a point is
:math:`r = g(x) / |w|` away from it, and its foot is the nearest point of the plane.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.linear import Hyperplane

plane = Hyperplane([0.6, -0.8, 3.0], -3.0)
x = np.array([1.6, 0.2, 2.6])
foot, distance = plane.project(x), plane.distance(x)
origin_foot = plane.project(np.zeros(3))

a, b = np.meshgrid(np.linspace(-1, 3, 9), np.linspace(-1, 3, 9))
height = -(plane.normal[0] * a + plane.normal[1] * b + plane.offset) / plane.normal[2]
figure = plt.figure(figsize=(7, 6), layout="constrained")
axis = figure.add_subplot(projection="3d")
axis.plot_surface(a, b, height, alpha=0.35, color="#56b4e9", edgecolor="#0072b2", linewidth=0.3)
start = plane.project([0.0, 2.0, 1.0])
unit = plane.normal / plane.length
axis.quiver(*start, *unit, color="#15202b", linewidth=2, arrow_length_ratio=0.3)
axis.text(*(start + 1.1 * unit), "w")
axis.plot(*np.column_stack((x, foot)), color="#d55e00", linestyle="--")
axis.scatter(*x, color="#d55e00", s=45)
axis.text(*(x + 0.1), f"x, r = {distance:.2f}")
axis.scatter(*foot, color="#d55e00", s=45, marker="x")
axis.text(*(foot - 0.3), "foot")
axis.plot(*np.column_stack((np.zeros(3), origin_foot)), color="#555555", linestyle=":")
axis.scatter(0, 0, 0, color="#555555", s=25)
axis.text(-0.1, 0.0, -0.45, f"origin, r = {plane.origin_distance:.2f}")
axis.set(xlabel="x1", ylabel="x2", zlabel="x3", zlim=(-1, 3), box_aspect=(1, 1, 1))
axis.view_init(elev=12, azim=-60)
plt.show()
