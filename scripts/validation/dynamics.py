"""Cases of motion: free rotation, oscillating plate, CSM3, twisting column, rod on a wall."""
import math

from cases import BDF2, BONDED, EULER, Result, case, method_keys
from runs import crossings, extremum


@case(1, "free box", "8 across", [BDF2, "explicit", "xpbd", "gerszewski"], quick=[BDF2, "explicit", "gerszewski"],
      limits={("xpbd", "spin"): (0.2, "methods.md, xpbd: a free body that spins loses spin")})
def free_box(run, method):
    result = run("spin", *method_keys(method))
    body = result.body()
    drift = math.dist(body["velocity"], [1, 2, 3])
    yield Result("change of velocity over speed", 0, drift / math.sqrt(14), 1e-4, scale=1)
    yield Result("spin", 10, body["spin"][2], 0.02, unit="rad/s")


@case(3, "oscillating plate", "H/10", [BDF2, "explicit"])
def oscillating_plate(run, method):
    tip = run("plate", *(method_keys(method) if method != BDF2 else [])).probe("tip")
    rest = tip[0]["y"]
    omega = math.sqrt(2e6 * 0.02 ** 2 * (1.875 / 0.2) ** 4 / (12 * 1000 * (1 - 0.3975 ** 2)))
    times = crossings(tip[1:], lambda r: r["y"] - rest)
    yield Result("period", 2 * math.pi / omega, 2 * (times[-1] - times[0]) / (len(times) - 1), 0.02, unit="s")
    top = extremum(tip[: len(tip) // 3], "y", 1)[1] - rest
    yield Result("amplitude", 0.01 * 57.0 / omega, top, 0.03, unit="m")


@case(4, "CSM3", "H/10", [BDF2], keys=("bodies.0.spacing=0.002", "bodies.0.shape={ box = [0.356, 0.02, 0.008] }",
                                       "bodies.0.position=[0.172, 0, 0]", "dt=0.00125",
                                       "probes.0.region={ box = { min = [0.348, -9, -9], max = [9, 9, 9] } }"))
@case(4, "CSM3", "H/5", [BDF2, "explicit"], quick=[BDF2], keys=(),
      limits={(method, "lowest u_x"): (0.045, "methods.md, implicit: slender bars") for method in (BDF2, "explicit")})
def csm3(run, method, keys):
    tip = run("csm3", *(method_keys(method) if method != BDF2 else []), *keys).probe("tip")
    first = [r for r in tip if r["time"] < 0.8]
    second = [r for r in tip if r["time"] > 0.9]
    t1, low = extremum(first, "y", -1)
    t2, _ = extremum(second, "y", -1)
    across = min(r["x"] for r in first)
    yield Result("lowest u_y", -0.1297, low - tip[0]["y"], 0.03, unit="m")
    yield Result("lowest u_x", -0.0293, across - tip[0]["x"], 0.03, unit="m")
    yield Result("period", 0.916, t2 - t1, 0.02, unit="s")


@case(5, "twisting column", "6 across", [BDF2, "explicit"])
def twisting_column(run, method):
    result = run("twisting-column", *(method_keys(method) if method != BDF2 else []))
    off = 0.0
    for k in range(1, 7):
        rows = result.probe(f"axis{k}")
        off = max(off, max(math.hypot(r["x"], r["z"]) for r in rows))
    yield Result("axis points off the axis over L", 0, off / 6, 1e-3, scale=1)
    # The angle by which the top has turned passes its largest value and comes back through zero.
    angle, last, turns = [], 0.0, 0.0
    ids = {p["id"]: p for p in result.frame(0)}
    corner = max(ids.values(), key=lambda p: (round(p["y"], 3), p["x"] + p["z"]))
    start = math.atan2(corner["z"], corner["x"])
    inverted = 0
    for k in range(int(result.summary["frames"])):
        particles = result.frame(k)
        now = next(p for p in particles if p["id"] == corner["id"])
        turn = math.atan2(now["z"], now["x"]) - start
        turns += (turn - last + math.pi) % (2 * math.pi) - math.pi
        last = turn
        angle.append(turns)
        inverted += sum(determinant(p) <= 0 for p in particles)
    swing = max(angle, key=abs)
    after = angle[angle.index(swing):]
    yield Result("inverted particles", 0, inverted, 0, scale=1)
    yield Result("returns (1: its twist comes back through zero)", 1, float(min(a * math.copysign(1, swing) for a in after) < 0),
                 0)


def determinant(p):
    a = [[p[f"F_{r}{c}"] for c in "xyz"] for r in "xyz"]
    return (a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
            + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]))


ROD_LIMIT = (0.06, "contact.md, limits: a body of n layers loses 1/n of its energy in a bounce")


@case(7, "rod on a wall", "L/40", [BDF2, "explicit", "xpbd"], spacing=0.01,
      limits={(method, "rebound speed"): ROD_LIMIT for method in (BDF2, "explicit")})
@case(7, "rod on a wall", "L/80", [BDF2, "explicit", "xpbd"], quick=[BDF2, "explicit"], spacing=0.005)
def rod_on_a_wall(run, method, spacing):
    width = 4 * spacing
    result = run("rod", *method_keys(method), f"bodies.0.spacing={spacing:g}",
                 f"bodies.0.shape={{ box = [0.4, {width:g}, {width:g}] }}")
    c, v, area, length = math.sqrt(1e6 / 1000), 0.31622777, width ** 2, 0.4
    wall = result.force("wall")
    plateau = 1000 * c * v * area
    pressed = [r for r in wall if -r["fx"] > 0.5 * plateau]
    frame = wall[1]["time"] - wall[0]["time"]
    yield Result("contact time", 2 * length / c, pressed[-1]["time"] - pressed[0]["time"] + frame, 0.05, unit="s")
    middle = pressed[len(pressed) // 4: 3 * len(pressed) // 4]
    yield Result("contact stress", 1000 * c * v, -sum(r["fx"] for r in middle) / len(middle) / area, 0.03, unit="Pa")
    yield Result("rebound speed", v, result.body()["velocity"][0], 0.05, unit="m/s")


@case(17, "flips about the middle axis", "0.05 m", [BDF2, "explicit"])
def flips(run, method):
    result = run("flips", *method_keys(method))
    top, bottom = result.probe("top"), result.probe("bottom")
    rows = [{"time": a["time"], "axis": a["y"] - b["y"]} for a, b in zip(top, bottom)]
    measured = crossings(rows, lambda r: r["axis"])
    # Particles are points: a row of them, d apart over an edge a, has a moment of (a^2 - d^2) / 12 where matter has a^2 / 12.
    d = result.body()["spacing"]
    expected = rigid_flips([math.sqrt(a * a - d * d) for a in (0.6, 0.4, 0.1)], [0.05, 5.0, 0.0], 7.0)
    yield Result("first flip", expected[0], measured[0], 0.02, unit="s")
    yield Result("time between the first two flips", expected[1] - expected[0], measured[1] - measured[0], 0.02, unit="s")
    before, after = (angular_momentum(result.frame(k)) for k in (0, -1))
    yield Result("change of angular momentum over itself", 0, math.dist(before, after) / math.hypot(*before), 1e-2, scale=1)


def angular_momentum(particles):
    """About the common centre, per mass of a particle."""
    n = len(particles)
    c = [sum(p[k] for p in particles) / n for k in "xyz"]
    total = [0.0, 0.0, 0.0]
    for p in particles:
        x, y, z = p["x"] - c[0], p["y"] - c[1], p["z"] - c[2]
        u, v, w = p["vx"], p["vy"], p["vz"]
        for k, value in enumerate((y * w - z * v, z * u - x * w, x * v - y * u)):
            total[k] += value
    return total


def rigid_flips(edges, spin, duration, dt=2e-4):
    """When the y axis of a rigid box that turns freely is at right angles to where it pointed at first (Runge-Kutta)."""
    a, b, c = (e * e for e in edges)
    inertia = (b + c, a + c, a + b)

    def rate(s):
        w, q = s[:3], s[3:]  # spin in the body's axes, and the world's y axis in them
        return [(inertia[1] - inertia[2]) / inertia[0] * w[1] * w[2], (inertia[2] - inertia[0]) / inertia[1] * w[2] * w[0],
                (inertia[0] - inertia[1]) / inertia[2] * w[0] * w[1],
                q[1] * w[2] - q[2] * w[1], q[2] * w[0] - q[0] * w[2], q[0] * w[1] - q[1] * w[0]]

    state, rows = [*spin, 0.0, 1.0, 0.0], []
    for k in range(int(duration / dt)):
        rows.append({"time": k * dt, "axis": state[4]})
        k1 = rate(state)
        k2 = rate([s + 0.5 * dt * r for s, r in zip(state, k1)])
        k3 = rate([s + 0.5 * dt * r for s, r in zip(state, k2)])
        k4 = rate([s + dt * r for s, r in zip(state, k3)])
        state = [s + dt / 6 * (p + 2 * q + 2 * r + t) for s, p, q, r, t in zip(state, k1, k2, k3, k4)]
    return crossings(rows, lambda r: r["axis"])
