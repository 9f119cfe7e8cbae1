"""Cases of plastic flow: Taylor bar, yielding block, uniform pull."""
import math

from cases import BDF2, EULER, Result, case, method_keys


FOOT_LIMIT = {(BDF2, "foot radius"): (0.06, "methods.md, explicit: blows of metal")}


@case(8, "Taylor bar", "R/10", ["explicit"], limits=FOOT_LIMIT, parts=10, allowed=0.02)
@case(8, "Taylor bar", "R/5", ["explicit", BDF2, "gerszewski"], limits=FOOT_LIMIT, parts=5, allowed=0.03)
def taylor_bar(run, method, parts, allowed):
    spacing = f"bodies.0.spacing={0.0032 / parts:g}"
    if method == BDF2:
        result = run("taylor-bar-implicit", spacing, f"dt={1.215e-5 / parts:g}")
    else:
        own = ["solver.zero_energy=2"] if method == "gerszewski" else []  # its default, a control of another kind
        result = run("taylor-bar", f"method={method}", *own, spacing)
    body = result.body()
    low, high, d = body["bounds"]["min"], body["bounds"]["max"], body["spacing"]
    yield Result("length", 21.42, 1000 * (high[1] - low[1] + d), allowed, unit="mm")
    foot = 1000 * (max(high[0], -low[0], high[2], -low[2]) + d / 2)
    yield Result("foot radius", 7.22, foot, allowed, unit="mm")


@case(10, "yielding block", "6 across", [EULER, "explicit", "xpbd"], quick=[EULER])
def yielding_block(run, method):
    def height(*keys):
        body = run("yielding-block", *method_keys(method), *keys).body()
        return body["bounds"]["max"][1] + body["spacing"] / 2
    keys = {EULER: ("dt=0.004", "dt=0.002"), "explicit": ("solver.safety=0.8", "solver.safety=0.4"),
            "xpbd": ("solver.iterations=8", "solver.iterations=16")}[method]
    one, two = height(keys[0]), height(keys[1])
    yield Result("height at half the step", one, two, 0.02, unit="m")


@case(16, "plastic pull", "8 across", [EULER], stretch=2.5)
@case(16, "plastic pull", "8 across", [EULER], stretch=1.5)
def plastic_pull(run, method, stretch):
    """The middle half of the bar: the true stress of the handle's force, layers, and volume."""
    speed = 0.375 * (stretch - 1)
    result = run("plastic-pull", *method_keys(method), f"handles.1.motion={{ velocity = [0, {speed:.6g}, 0] }}")
    first, last = result.frame(0), result.frame(-1)
    d = 0.0125
    layers = {}
    for rest, now in zip(first, last):
        if abs(rest["y"]) < 0.1:
            layers.setdefault(round(rest["y"] / d - 0.5), []).append(now)
    heights = [sum(p["y"] for p in layer) / len(layer) for _, layer in sorted(layers.items())]
    steps = [(b - a) / d for a, b in zip(heights, heights[1:])]
    mean = sum(steps) / len(steps)
    words = f" at {stretch:g}"
    uneven = max(max(steps) / mean - 1, 1 - min(steps) / mean)
    yield Result("largest layer stretch off the mean" + words, 0, uneven, 0.05, scale=1)
    particles = [p for layer in layers.values() for p in layer]
    strain = sum(p["plastic_strain"] for p in particles) / len(particles)
    stress = sum(p["von_mises"] for p in particles) / len(particles)
    yield Result("von Mises stress over Y + H a" + words, 1, stress / (2e5 + 4e6 * strain), 0.02)
    # Nominal stress times the plastic stretch: force per area before the elastic strain, of matter that keeps its volume.
    nominal = -result.force("upper")[-1]["fy"] / 0.1 ** 2
    yield Result("force times plastic stretch over Y + H a" + words, 1, nominal * math.exp(strain) / (2e5 + 4e6 * strain), 0.02)
