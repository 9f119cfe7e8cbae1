"""What a case is: a scene, the methods that can run it, and a function that measures it against a known answer."""
from dataclasses import dataclass, field

EULER, BDF2 = "implicit", "implicit bdf2"
STATIC = "implicit static"   # pliant run --static
BONDED = (EULER, "explicit", "xpbd")


@dataclass
class Result:
    quantity: str
    reference: float
    measured: float
    allowed: float          # largest |measured - reference|, in units of `scale`
    scale: float = None     # None: the reference
    unit: str = ""

    @property
    def error(self):
        return (self.measured - self.reference) / (self.reference if self.scale is None else self.scale)

    @property
    def passed(self):
        return abs(self.error) <= self.allowed


@dataclass
class Case:
    number: int             # in docs/notes/validation.md
    name: str
    resolution: str
    methods: tuple
    measure: object         # function of (run, method) that yields Results
    quick: tuple = ()       # methods of `--quick`
    limits: dict = field(default_factory=dict)   # method or (method, quantity) -> (largest error, where the guide says so)

    def limit(self, method, quantity):
        return self.limits.get((method, quantity), self.limits.get(method))


CASES = []


def case(number, name, resolution, methods, quick=(), limits=None, **arguments):
    """Registers measure(run, method, **arguments); may be used several times on one function."""
    def register(measure):
        CASES.append(Case(number, name, resolution, tuple(methods),
                          lambda run, method: measure(run, method, **arguments), tuple(quick), limits or {}))
        return measure
    return register


def method_keys(method, dt=True):
    """Overrides, and options of the command line, that choose a method. `explicit` and the like find their step, so that of the scene is replaced."""
    if method == EULER:
        return ["solver.integrator=euler"]
    if method == STATIC:
        return ["--static"]
    if method == BDF2:
        return ["solver.integrator=bdf2"]
    keys = [f"method={method}"]
    return keys + ["dt=stable"] if dt else keys
