"""Cases of fluids: collapse of a column of water."""
import math

from cases import Result, case

# Martin and Moyce 1952, tables 2 and 6, n^2 = 2, a = 2.25 inches: front Z = z / a at T = t sqrt(2 g / a), and height of
# the column that is left, H = eta / 2 a, at tau = t sqrt(g / a).
FRONT = {1.19: 1.44, 1.63: 1.89, 2.32: 2.78, 2.83: 3.44, 2.98: 3.67, 3.33: 4.11}
LEFT = {0.77: 0.89, 1.28: 0.72, 1.84: 0.56, 2.00: 0.50}
GATE = "methods.md, fluid: dams of experiments open late"


def at(points, time):
    for (t, a), (u, b) in zip(points, points[1:]):
        if t <= time <= u:
            return a + (b - a) * (time - t) / (u - t)
    raise ValueError(f"the run does not reach {time}")


@case(21, "dam break", "20 across", ["fluid"], quick=["fluid"],
      limits={("fluid", f"front at T = {t}"): (0.18, GATE) for t in FRONT})
def dam_break(run, method):
    result = run("dam-break", 'output.particles=["ply"]')
    a, g, spacing = 0.05715, 9.81, 0.05715 / 20
    front, left = [], []
    for k in range(int(result.summary["frames"])):
        particles, time = result.frame(k), result.stats[k]["time"]
        foremost = sorted((p["x"] for p in particles), reverse=True)[:6]  # one layer across the channel
        highest = sorted((p["y"] for p in particles if p["x"] < 2 * spacing), reverse=True)[:12]
        front.append((time * math.sqrt(2 * g / a), (sum(foremost) / 6 + spacing / 2) / a))
        left.append((time * math.sqrt(g / a), (sum(highest) / 12 + spacing / 2) / (2 * a)))
    for t, z in FRONT.items():
        yield Result(f"front at T = {t}", z, at(front, t), 0.1)
    yield Result("speed of the front, T = 1.63 to 3.33", (4.11 - 1.89) / 1.7, (at(front, 3.33) - at(front, 1.63)) / 1.7, 0.1)
    for tau, height in LEFT.items():
        yield Result(f"height left at {tau}", height, at(left, tau), 0.05)
