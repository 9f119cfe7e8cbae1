"""Cases of rest: cantilever, hanging block, dead load, buckling, surface stress."""
import math

from cases import BONDED, EULER, STATIC, Result, case, method_keys
from runs import steady


def cantilever_keys(method, across):
    d = 1 / across
    keys = method_keys(method) + [f"bodies.0.shape={{ box = [{4 + 3 * d:.10g}, 1, 1] }}", f"bodies.0.spacing={d:.10g}",
                                  f"bodies.0.position=[{2 - 1.5 * d:.10g}, 0, 0]",
                                  f"probes.0.region={{ box = {{ min = [{4 - d:.10g}, -9, -9], max = [9, 9, 9] }} }}"]
    return keys


def at_rest(rows, key, method, share=0.75):
    """What the run comes to rest at: the last row of a static one, the mean of what still swings of others."""
    return rows[-1][key] if method == STATIC else steady(rows, key, share)


@case(2, "cantilever", "H/20", [EULER, STATIC], across=20, allowed=0.02)
@case(2, "cantilever", "H/10", (*BONDED, STATIC), quick=[STATIC], across=10, allowed=0.02)
@case(2, "cantilever", "H/5", (*BONDED, STATIC), quick=(*BONDED, STATIC), across=5, allowed=0.05,
      limits={("xpbd", "tip deflection"): (0.1, "methods.md, xpbd: bodies a few particles thick")})
def cantilever(run, method, across, allowed):
    result = run("cantilever", *cantilever_keys(method, across), "output.particles=[]")
    tip = result.probe("tip")
    sag = tip[0]["y"] - at_rest(tip, "y", method)
    E, nu, L, q, I = 1e8, 0.3, 4.0, 9810.0, 1 / 12
    G, shear, x = E / (2 * (1 + nu)), 10 * (1 + nu) / (12 + 11 * nu), 4 - 0.5 / across
    bending = q * x * x * (6 * L * L - 4 * L * x + x * x) / (24 * E * I)
    yield Result("tip deflection", bending + q / (shear * G) * (L * x - x * x / 2), sag, allowed, unit="m")


@case(20, "surface stress", "H/10", [EULER, STATIC, "explicit"], quick=[EULER, STATIC], across=10)
def surface_stress(run, method, across):
    """Layers at a third of the span, away from clamp and tip: sigma = M y / I at the height of the particles."""
    result = run("cantilever", *cantilever_keys(method, across))
    first, last = result.frame(0), result.frame(-1)
    d, x0 = 1 / across, 4 / 3
    # The load of the moment that the frame has, not that of rest: the swing of the tip scales both alike.
    tip = result.probe("tip")
    swing = (tip[0]["y"] - tip[-1]["y"]) / (tip[0]["y"] - at_rest(tip, "y", method))
    for name, layer in (("outermost layer", 0.5 - d / 2), ("next layer", 0.5 - 1.5 * d)):
        values, expected = [], []
        for rest, now in zip(first, last):
            if abs(rest["x"] - x0) < d and abs(abs(rest["y"]) - layer) < 0.1 * d:
                values.append(now["von_mises"])
                expected.append(9810 * (4 - rest["x"]) ** 2 / 2 * abs(rest["y"]) * 12)
        measured = sum(values) / sum(expected) / swing
        yield Result(f"stress over M y / I, {name}", 1, measured, 0.05)


@case(10, "hanging block", "16 across", [STATIC], across=16)
@case(10, "hanging block", "8 across", (*BONDED, STATIC), quick=[EULER, STATIC], across=8)
def hanging_block(run, method, across):
    d = 0.4 / across
    def sag(*keys):
        stats = run("hanging-block", *method_keys(method), *keys, f"bodies.0.spacing={d:.10g}").stats
        return stats[0]["com_y"] - at_rest(stats, "com_y", method, 0.4)
    keys = {EULER: (f"dt={1 / 60:.10g}", "dt=0.008"), STATIC: ("--load-steps=1", "--load-steps=5"),
            "xpbd": ("solver.iterations=8", "solver.iterations=16"),
            "explicit": ("solver.safety=0.9", "solver.safety=0.45")}[method]
    one, two = sag(keys[0]), sag(keys[1])
    # A bar of 0.7 m below the clamp, which begins at the lowest layer of particles held. It holds their width too, which
    # takes 0.0455 of the sag away: of a block of 0.4 x 0.7 x 0.4 m, by trilinear finite elements of linear elasticity
    # (0.0537, 0.0490 and 0.0477 with 8, 16 and 24 across).
    span = 0.7 + d / 2
    bar = 1000 * 9.81 * span ** 3 / (3 * 1e5 * 0.8)
    yield Result("sag of its centre", bar * (1 - 0.0455 * 0.7 / span), one, 0.02, unit="m")
    yield Result("sag in five load steps" if method == STATIC else "sag at half the step", one, two, 0.01, unit="m")


DEAD_LOAD_LIMIT = {("xpbd", "strain"): (0.03, "methods.md, xpbd: sweeps converge to 3%")}


@case(18, "dead load 0.5 E A", "5 across", (*BONDED, STATIC), quick=[STATIC], load=0.5, limits=DEAD_LOAD_LIMIT)
@case(18, "dead load 0.2 E A", "5 across", (*BONDED, STATIC), quick=(*BONDED, STATIC), load=0.2, limits=DEAD_LOAD_LIMIT)
@case(18, "dead load 0.05 E A", "5 across", (*BONDED, STATIC), quick=[STATIC], load=0.05, limits=DEAD_LOAD_LIMIT)
def dead_load(run, method, load):
    result = run("dead-load", *method_keys(method), f"handles.1.force=[{load * 0.04 * 1e6:.8g}, 0, 0]")
    left, right = result.probe("left"), result.probe("right")
    rest = right[0]["x"] - left[0]["x"]
    strain = (at_rest(right, "x", method, 0.25) - at_rest(left, "x", method, 0.25)) / rest - 1
    # The corotated law: nominal stress over E is the strain.
    yield Result("strain", load, strain, 0.02)
    yield Result("kinetic over elastic energy", 0,
                 result.stats[-1]["kinetic_energy"] / result.stats[-1]["elastic_energy"], 1e-3, scale=1)


@case(19, "buckling", "10 across", [STATIC], across=10)
@case(19, "buckling", "5 across", [EULER, STATIC], quick=[STATIC], across=5,
      limits={(method, "critical load"): (0.085, "methods.md, implicit: slender bars") for method in (EULER, STATIC)})
def buckling(run, method, across):
    """Beam-column: tip deflection under Q and P is Q L^3 / 3 E I times 3 (tan u - u) / u^3, u = pi / 2 sqrt(P / P_crit)."""
    load, d = 6.4255, 0.05 / across
    def aside(force):
        finer = ["solver.tolerance=1e-5", "--load-steps=2"] if method == STATIC else ["solver.tolerance=1e-6"]
        top = run("buckling", *method_keys(method), *finer, f"bodies.0.spacing={d:.8g}",
                  f"handles.1.force=[0.02, {-force:.8g}, 0]").probe("top")
        return at_rest(top, "x", method, 0.3) - top[0]["x"]
    growth = aside(load) / aside(0)
    low, high = load * 1.001, load * 100
    for _ in range(100):  # the load at which the factor is what was measured
        critical = 0.5 * (low + high)
        u = math.pi / 2 * math.sqrt(load / critical)
        low, high = (critical, high) if 3 * (math.tan(u) - u) / u ** 3 > growth else (low, critical)
    # From the uppermost layer that is held, half a spacing below y = 0, to the middle of those pulled, 0.99 to 1 m.
    length = d / 2 + 0.995
    yield Result("critical load", math.pi ** 2 * 1e7 * 0.05 ** 4 / 12 / (4 * length ** 2), critical, 0.03, unit="N")
