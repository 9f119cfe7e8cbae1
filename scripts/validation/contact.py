"""Cases of contact: friction, push, collision, plank, Hertz, rolling ball, rings."""
import math

from cases import BDF2, BONDED, EULER, STATIC, Result, case, method_keys
from dynamics import angular_momentum
from runs import acceleration

G = 9.81


@case(9, "incline", "4 high", [EULER, BDF2, "explicit", "xpbd", "gerszewski"], quick=[EULER, "explicit"])
def incline(run, method):
    angle = math.radians(20)
    def way(row):
        return -(row["com_x"] * math.cos(angle) + row["com_y"] * math.sin(angle))
    sliding = run("incline", *method_keys(method)).stats
    yield Result("acceleration, friction 0.2", G * (math.sin(angle) - 0.2 * math.cos(angle)),
                 acceleration(sliding, way, 0.2), 0.03, unit="m/s2")
    resting = run("incline", *method_keys(method), "colliders.0.friction=0.5").stats
    # After the block has settled; 1e-3 of the way of a free slide.
    free = 0.5 * G * math.sin(angle) * 0.8 ** 2
    half = next(r for r in resting if r["time"] >= 0.2)
    yield Result("way at friction 0.5 over that of a free slide", 0, (way(resting[-1]) - way(half)) / free, 1e-3, scale=1)


@case(11, "push", "4 high", [EULER, BDF2, "explicit", "xpbd"], quick=[EULER, "explicit", "xpbd"])
def push(run, method):
    stats = run("push", *method_keys(method)).stats
    yield Result("acceleration", 2.0, acceleration(stats, lambda r: r["com_x"], 0.1), 1e-3, unit="m/s2")


@case(12, "collision", "8 across", [EULER, BDF2, "explicit", "xpbd"], friction=0.5)
@case(12, "collision", "8 across", [EULER, BDF2, "explicit", "xpbd"], quick=[EULER, "explicit"], friction=0)
def collision(run, method, friction):
    # Momentum is as good as the solve: 2e-5 at the default tolerance of 1e-4 (contact.md).
    finer = ["solver.tolerance=1e-5"] if method in (EULER, BDF2) else []
    result = run("collision", *method_keys(method), *finer, f"materials.m.friction={friction}")
    first, last = result.frame(0), result.frame(-1)
    words = f", friction {friction:g}"
    momentum = [sum(p[k] for p in last) - sum(p[k] for p in first) for k in ("vx", "vy", "vz")]
    scale = 4 * len(first) / 2
    yield Result("change of momentum over m v" + words, 0, math.hypot(*momentum) / scale, 1e-5, scale=1)
    turned = math.dist(angular_momentum(first), angular_momentum(last))
    yield Result("change of angular momentum over m v 0.4 m" + words, 0, turned / (scale * 0.4), 1e-2, scale=1)
    energy = [r["kinetic_energy"] + r["elastic_energy"] for r in result.stats]
    yield Result("energy gained over that of the start" + words, 0, max(0.0, max(energy) / energy[0] - 1), 0.01, scale=1)


@case(13, "block on a plank", "0.04 m", [EULER, "explicit", "xpbd"], young=1e8, friction=0.2)
@case(13, "block on a plank", "0.04 m", [EULER, "explicit", "xpbd"], quick=[EULER], young=1e6, friction=0.2)
@case(13, "block on a plank", "0.04 m", [EULER, "explicit", "xpbd"], young=1e6, friction=0)
@case(13, "block on a plank", "0.04 m", [EULER, "explicit", "xpbd"], young=1e5, friction=0)
def plank(run, method, young, friction):
    result = run("plank", *method_keys(method), f"materials.m.young={young:g}", f"materials.m.friction={friction:g}")
    angle = math.radians(30)
    yield Result(f"acceleration, {young:g} Pa, friction {friction:g}", G * (math.sin(angle) - friction * math.cos(angle)),
                 acceleration(result.probe("block"), lambda r: r["x"], 0.1), 0.03, unit="m/s2")


HERTZ_LIMIT = {(STATIC, quantity): (0.14, "methods.md, implicit: contact patches") for quantity in
               ("approach over Tatara's for the force", "patch radius over Hertz's for the force")}


@case(14, "Hertz", "40 across", [STATIC], limits=HERTZ_LIMIT, across=40, keys=())
@case(14, "Hertz", "24 across, zero_energy 0.1", [STATIC], limits=HERTZ_LIMIT, across=24, keys=("solver.zero_energy=0.1",))
@case(14, "Hertz", "24 across", [STATIC], quick=[STATIC], limits=HERTZ_LIMIT, across=24, keys=())
def hertz(run, method, across, keys):
    """At rest, from the force that the plates feel: the approach of each plate, and the patch of particles that touch."""
    d, R, young, nu, approach = 0.2 / across, 0.1, 1e6, 0.3, 0.006
    result = run("hertz", *method_keys(method), *keys, "--load-steps=2", f"bodies.0.spacing={d:.8g}")
    force = -result.force("lower")[-1]["fy"]
    a = (3 * force * R * (1 - nu ** 2) / (4 * young)) ** (1 / 3)
    # A ball is no half-space: each plate is nearer to its middle than a^2 / R by what the other one does there
    # (Tatara 1991), 9% at a = R / 4.
    reach = a * a + 4 * R * R
    other = force / (math.pi * young) * (2 * (1 + nu) * R * R / reach ** 1.5 + (1 - nu ** 2) / reach ** 0.5)
    yield Result("approach over Tatara's for the force", 1, approach / (a * a / R - other), 0.03)
    # An even cover of a disc of radius a has the mean square distance a^2 / 2 from its centre. Both patches.
    touching = [p for p in result.frame(-1) if abs(p["y"]) > 0.1 - approach - 0.5 * d * 1.002]
    seen = math.sqrt(2 * sum(p["x"] ** 2 + p["z"] ** 2 for p in touching) / max(1, len(touching)))
    yield Result("patch radius over Hertz's for the force", 1, seen / a, 0.03)


@case(15, "rolling ball", "16 across", [EULER, BDF2, "explicit"], quick=[EULER])
def rolling_ball(run, method):
    stats = run("rolling", *method_keys(method)).stats
    yield Result("acceleration", 5 / 7 * G * math.sin(math.radians(10)), acceleration(stats, lambda r: r["com_x"], 0.2), 0.05,
                 unit="m/s2")


@case(6, "rubber rings", "5 across the wall", [EULER, BDF2, "explicit"])
def rings(run, method):
    result = run("rings", *method_keys(method))
    left, right = result.body("left"), result.body("right")
    yield Result("separate (1: they fly apart)", 1, float(right["velocity"][0] - left["velocity"][0] > 0
                                                           and right["center"][0] - left["center"][0] > 0.08), 0)
    lost = max(b["shape_error"] for b in (left, right))
    yield Result("shape error over the wall of 5 spacings", 0, lost / 5, 0.5, scale=1)
    yield Result("momentum over m v", 0, abs(left["velocity"][0] + right["velocity"][0]) / 6.87, 1e-3, scale=1)
