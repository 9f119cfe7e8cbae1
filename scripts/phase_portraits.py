#!/usr/bin/env python3
"""Draws the phase portraits of a restrained harmonic oscillator (Manteaux et al. 2013, Fig. 2, 3 and 5) as one SVG.

The restraint is that of src/pliant/data/restraint.hpp, the implicit step that of tests/physics/restraint_test.cpp.
    scripts/phase_portraits.py docs/images/phase-portraits.svg
"""
import math
import sys


class Restraint:
    def __init__(self, threshold, full):
        self.r, self.f = threshold, full
        end, slope, bend = 0.5 * full**2, (full - threshold) * full, (full - threshold) ** 2
        self.a, self.b, self.c = 10 * end - 4 * slope + 0.5 * bend, -15 * end + 7 * slope - bend, 6 * end - 3 * slope + 0.5 * bend

    def speed(self, p):
        s = abs(p)
        if s >= self.f:
            return p
        if s <= self.r:
            return 0.0
        t = (s - self.r) / (self.f - self.r)
        return math.copysign(t * t * (3 * self.a + t * (4 * self.b + t * 5 * self.c)) / (self.f - self.r), p)

    def momentum(self, effective):
        if abs(effective) >= self.f:
            return effective
        low, high = self.r, self.f
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.speed(middle) < abs(effective) else (low, middle)
        return math.copysign(0.5 * (low + high), effective)


def leapfrog(restraint, damping, time, dt=1e-3):
    x, p, path = 1.0, 0.0, []
    for k in range(int(time / dt)):
        p -= 0.5 * dt * (x + damping * restraint.speed(p))
        x += dt * restraint.speed(p)
        p -= 0.5 * dt * (x + damping * restraint.speed(p))
        if k % 10 == 0:
            path.append((x, p))
    return path


def implicit(restraint, time, h=0.02):
    """x + h v = x', p - h x' = p', v the effective speed of p': solved by bisection, since both sides are monotonic."""
    x, p, path = 1.0, 0.0, [(1.0, 0.0)]
    for _ in range(int(time / h)):
        low, high = -2.0, 2.0
        for _ in range(50):
            v = 0.5 * (low + high)
            low, high = (v, high) if restraint.speed(p - h * (x + h * v)) > v else (low, v)
        x += h * v
        p -= h * x
        path.append((x, p))
    return path


def panel(path, restraint, left, title):
    place = lambda x, p: f"{left + 130 + 100 * x:.1f},{150 - 100 * p:.1f}"
    points = " ".join(place(*point) for point in path)
    return (f'<text x="{left + 130}" y="24" text-anchor="middle">{title}</text>'
            f'<rect x="{left + 10}" y="{150 - 100 * restraint.r}" width="240" height="{200 * restraint.r}" fill="#eee"/>'
            f'<path d="M{left + 10},150 H{left + 250} M{left + 130},35 V265" stroke="#bbb" fill="none"/>'
            f'<ellipse cx="{left + 130}" cy="150" rx="100" ry="100" stroke="#c33" stroke-dasharray="3 3" fill="none"/>'
            f'<polyline points="{points}" stroke="#124" stroke-width="1.2" fill="none"/>'
            f'<text x="{left + 246}" y="145" text-anchor="end">x</text><text x="{left + 136}" y="46">p</text>')


def main():
    usual, wide = Restraint(0.1, 0.5), Restraint(0.05, 1)
    strong = Restraint(0.2, 1.0)
    panels = [panel(leapfrog(strong, 0, 20), strong, 0, "without damping"), panel(leapfrog(usual, 0.1, 60), usual, 260, "damped"),
              panel(implicit(wide, 50), wide, 520, "implicit Euler")]
    with open(sys.argv[1], "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="780" height="280" font-family="sans-serif" font-size="13">'
                   '<rect width="780" height="280" fill="white"/>' + "\n".join(panels) + "</svg>\n")


if __name__ == "__main__":
    main()
