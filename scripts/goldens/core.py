"""Writes tests/goldens/core/: what PyTorch 1.13.1 (Debian, no MKL) draws and prints.

random.txt  a call a line, its result after the colon; calls between two `seed` lines draw from one
            generator. Values are in row-major order, each the shortest that names its number.
multinomial.txt  a call a line, seeded with the number of the line: dtype, shape and layout of the
            weights (those of `weights`), samples, whether with replacement, and after the colon the
            result and the number that is drawn next.
print.txt   a dtype, a shape and values (or `arange`: 0, step, 2 step, ...), one further suffix a
            line that starts with +, and what is printed behind bars.
"""

import math
import pathlib
import sys

import numpy
import torch
from torch import _tensor_str as printing

DTYPES = {
    "Float32": torch.float32,
    "Float64": torch.float64,
    "Int64": torch.int64,
    "Bool": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def words(values):
    """Values of a tensor in row-major order, as short as they can be told apart."""
    return " ".join(str(v if v.dtype != bool else int(v)) for v in values.reshape(-1).numpy())


def dims(shape):
    return "[" + " ".join(map(str, shape)) + "]"


def target(layout, shape, dtype):
    """An uninitialised tensor of `shape`: row-major, with reversed strides, or of every second
    column."""
    if layout == "reversed":
        order = list(reversed(range(len(shape))))
        return torch.empty([shape[d] for d in order], dtype=dtype).permute(order)
    if layout == "sliced":
        return torch.empty(*shape[:-1], 2 * shape[-1], dtype=dtype)[..., ::2]
    return torch.empty(shape, dtype=dtype)


def digest(values):
    """One number for very many float32 values: FNV-1a over their bit patterns."""
    h = 0xCBF29CE484222325
    for bits in values.numpy().view(numpy.uint32).tolist():
        h = (h ^ bits) * 0x100000001B3 % 2**64
    return h


class RandomGoldens:
    """Makes calls and keeps them, each as a line of text."""

    def __init__(self):
        self.lines = []

    def seed(self, seed):
        torch.manual_seed(seed)
        self.lines.append(f"seed {seed}")

    def add(self, call, result):
        self.lines.append(f"{call} : {words(result)}".rstrip())

    def rand(self, dtype, shape):
        self.add(f"rand {dtype} {dims(shape)}", torch.rand(shape, dtype=DTYPES[dtype]))

    def randn(self, dtype, shape):
        self.add(f"randn {dtype} {dims(shape)}", torch.randn(shape, dtype=DTYPES[dtype]))

    def randn_digest(self, n):
        self.lines.append(f"randn_digest Float32 [{n}] : {digest(torch.randn(n))}")

    def randint(self, dtype, shape, low, high):
        result = torch.randint(low, high, shape, dtype=DTYPES[dtype])
        self.add(f"randint {dtype} {dims(shape)} {low} {high}", result)

    def randperm(self, n):
        self.add(f"randperm Int64 [{n}]", torch.randperm(n))

    def bernoulli(self, dtype, shape, p):
        result = torch.empty(shape, dtype=DTYPES[dtype]).bernoulli_(p)
        self.add(f"bernoulli {dtype} {dims(shape)} {p}", result)

    def bernoulli_each(self, dtype, values):
        p = torch.tensor(values, dtype=DTYPES[dtype])
        self.add(f"bernoulli_each {dtype} {dims(p.shape)} {words(p)}", p.bernoulli())

    def bernoulli_(self, dtype, layout, shape, p):
        x = target(layout, shape, DTYPES[dtype])
        self.add(f"bernoulli_ {dtype} {dims(shape)} {layout} {p}", x.bernoulli_(p))

    def uniform_(self, dtype, layout, shape, low, high):
        x = target(layout, shape, DTYPES[dtype])
        self.add(f"uniform_ {dtype} {dims(shape)} {layout} {low} {high}", x.uniform_(low, high))

    def normal_(self, dtype, layout, shape, mean, std):
        x = target(layout, shape, DTYPES[dtype])
        self.add(f"normal_ {dtype} {dims(shape)} {layout} {mean} {std}", x.normal_(mean, std))


    def exponential_(self, dtype, layout, shape):
        x = target(layout, shape, DTYPES[dtype])
        self.add(f"exponential_ {dtype} {dims(shape)} {layout} 1", x.exponential_())


FLOATS = ("Float32", "Float64")


def weights(layout, shape, dtype):
    """`scattered` of tests/core/layouts.h, from 0 to 1."""
    values = [(i * 7919 + 13) % 10007 / 10007 for i in range(math.prod(shape))]
    return target(layout, shape, dtype).copy_(torch.tensor(values, dtype=torch.float64).view(shape))


def multinomial_lines():
    lines = []
    for dtype in FLOATS:
        for shape in ((5,), (3, 4), (1, 1), (2, 300)):
            for layout in ("rows", "reversed", "sliced"):
                for n, replacement in ((1, 0), (1, 1), (shape[-1], 0), (-(-shape[-1] // 2), 0), (9, 1)):
                    torch.manual_seed(len(lines) + 1)
                    drawn = weights(layout, shape, DTYPES[dtype]).multinomial(n, bool(replacement))
                    call = f"{dtype} {dims(shape)} {layout} {n} {replacement}"
                    lines.append(f"{call} : {words(drawn)} {words(torch.rand(1))}")
    return lines


def random_lines():
    g = RandomGoldens()
    for seed in (0, 1, 42, 2**31, 2**32 + 5, 2**63 + 11):  # the high half of a seed does not matter
        g.seed(seed)
        g.rand("Float32", (3,))
        g.rand("Float64", (3,))
        g.randn("Float32", (3,))
        g.randn("Float64", (3,))
    for dtype in FLOATS:
        for n in (0, 1, 2, 15, 16, 17, 24, 31, 32):
            g.seed(n)
            g.rand(dtype, (n,))
            g.randn(dtype, (n,))
            g.randn(dtype, (n,))
        g.seed(7)
        g.rand(dtype, (2, 2))
        g.randn(dtype, ())
        g.randn(dtype, (3, 0, 2))
    g.seed(8)
    g.rand("Float32", (700,))  # past the 624 words of the generator
    g.randn("Float32", (500,))
    g.randn("Float64", (257,))
    # One spare normal number is kept, whatever the dtype, until a seed; filling 16 leaves it alone.
    for first, second in ((a, b) for a in FLOATS for b in FLOATS):
        g.seed(9)
        g.randn(first, (1,))
        g.rand(second, (1,))
        g.randn(second, (18,))
        g.randn(second, (2,))
        g.randint("Int64", (2,), 0, 10)
        g.randn(first, (2,))
        g.seed(9)
        g.randn(second, (1,))
    for dtype in DTYPES:
        g.seed(10)
        g.randint(dtype, (20,), 0, 2)
    for dtype in ("Float32", "Float64", "Int64"):
        g.seed(11)
        g.randint(dtype, (4, 5), -7, 30)
    g.seed(12)
    for low, high in ((0, 1), (0, 2**32 - 1), (0, 2**32), (-1, 2**32), (0, 10)):
        g.randint("Int64", (5,), low, high)
    g.randint("Int64", (5,), -(2**63), 2**63 - 1)
    g.randint("Float64", (5,), -(2**53), 2**53)
    g.randint("Float32", (5,), -(2**24), 2**24 + 1)
    for n in (0, 1, 2, 10, 100):
        g.seed(n)
        g.randperm(n)
        g.rand("Float32", (1,))
    for dtype in DTYPES:
        g.seed(13)
        for p in (0.9, 0.5, 0.1, 0.0, 1.0, 1 - 0.1):
            g.bernoulli(dtype, (30,), p)
    for dtype in FLOATS:
        g.seed(14)
        g.bernoulli_each(dtype, [[0.0, 1.0, 0.5], [0.25, 0.75, 0.1]])
        g.bernoulli_each(dtype, [0.3] * 20)
    for dtype in FLOATS:
        for layout in ("rows", "reversed", "sliced"):
            g.seed(15)
            for shape in ((4, 3), (5, 7), (2, 3, 4)):
                g.uniform_(dtype, layout, shape, -0.1, 0.3)
                g.normal_(dtype, layout, shape, 0.5, 0.02)
                g.bernoulli_(dtype, layout, shape, 0.5)
        g.normal_(dtype, "rows", (100,), 0.3, 0.7)
    for dtype in FLOATS:
        g.seed(17)
        for layout in ("rows", "reversed", "sliced"):
            g.exponential_(dtype, layout, (4, 5))
    g.seed(15)
    g.randn_digest(200000)
    for dtype in FLOATS:  # the bounds and deviations of xavier, kaiming and linear layers
        g.seed(16)
        for fan_in, fan_out in ((3, 5), (64, 64), (512, 512)):
            xavier = math.sqrt(6 / (fan_in + fan_out))
            bound = math.sqrt(3) * math.sqrt(2 / (1 + 5)) / math.sqrt(fan_in)
            g.uniform_(dtype, "rows", (3, 5), -xavier, xavier)
            g.uniform_(dtype, "rows", (19,), -bound, bound)
            g.normal_(dtype, "rows", (3, 5), 0.0, math.sqrt(2 / (fan_in + fan_out)))
            g.normal_(dtype, "rows", (19,), 0.0, 0.02)
        g.uniform_(dtype, "rows", (4,), 1e-3, 1e6)
        g.normal_(dtype, "rows", (4,), -3.0, 0.0)
        g.uniform_(dtype, "rows", (4,), 2.0, 2.0)
    return g.lines


class PrintGoldens:
    def __init__(self):
        self.lines = []

    def add(self, x, values, extra=()):
        """PyTorch's own text for x, but with our names of dtypes."""
        suffixes = []
        if x.numel() == 0 and x.dim() != 1:
            suffixes.append(f"size={tuple(x.shape)}")
        if x.dtype == torch.float64 or (x.numel() == 0 and x.dtype != torch.float32):
            suffixes.append(f"dtype={NAMES[x.dtype]}")
        text = "tensor(" + printing._tensor_str(x, 7)
        text = printing._add_suffixes(text, suffixes + list(extra), 7, force_newline=False)
        self.lines.append(f"{NAMES[x.dtype]} {dims(x.shape)} {values}".rstrip())
        self.lines += [f"+{suffix}" for suffix in extra]
        self.lines += [f"|{line}" for line in text.split("\n")]

    def values(self, values, dtype="Float32", shape=None, extra=()):
        x = torch.tensor(values, dtype=DTYPES[dtype])
        x = x if shape is None else x.reshape(shape)
        self.add(x, words(x), extra)

    def arange(self, dtype, shape, step, extra=()):
        n = math.prod(shape)
        x = (torch.arange(n, dtype=torch.float64) * step).to(DTYPES[dtype]).reshape(shape)
        self.add(x, f"arange {step}", extra)


def print_lines():
    g = PrintGoldens()
    inf, nan = math.inf, math.nan
    for dtype in DTYPES:  # no dimension, one element, no element
        g.values(1, dtype)
        g.values([0], dtype)
        for shape in ((0,), (2, 0), (0, 3, 2)):
            g.values([], dtype, shape)
    for dtype in FLOATS:
        g.values([1, 2, 3, 4, 5, 6], dtype, (2, 3))
        g.values([1, 2.5, 0.1, 4], dtype, (2, 2))
        g.values([0.5, -123.456, 7], dtype)
        g.values([1 / 3, 2 / 3], dtype)
        g.values([1e-5, 1], dtype)  # scientific: too small
        g.values([9e-5], dtype)
        g.values([1e-4, 0.05], dtype)  # 1e-4 as a float is below 1e-4 or not
        g.values([0.5, 500], dtype)  # at and beyond 1,000 times
        g.values([0.5, 500.5], dtype)
        g.values([1, 1000], dtype)
        g.values([1, 1001], dtype)
        g.values([1e8, 2e8], dtype)
        g.values([100000001.0, 1e8], dtype)
        g.values([1.5e8, 2.25e8], dtype)
        g.values([inf, 1, 2], dtype)
        g.values([nan, -inf, 1.5], dtype)
        g.values([nan, inf, -inf, 0], dtype)
        g.values([nan, 1e-9], dtype)
        g.values([-0.0, 0.0], dtype)
        g.values([-0.0, 1.0, 10.0], dtype)
        g.values([0.0, -0.0, 1.5], dtype)
        g.values([-0.00001, 0.5], dtype)
        g.values([1e38, 1e-38], dtype)
        g.values([0.00005, 0.00015, 0.5], dtype)
        g.values([0.12345, 0.12355, 2.00005], dtype)  # ties of the fifth digit
        g.values([-1], dtype)
    g.values([1e300, 1e-300, 5e-324], "Float64")
    g.values([1.5, 1e300 * 10, 2**53 + 1], "Float64")
    g.values([True, False, True, True], "Bool", (2, 2))
    g.values([False, False], "Bool")
    g.values([1, -20, 300], "Int64")
    g.values([-(2**63), 2**63 - 1, 0], "Int64")
    for n in (10, 11, 13, 21, 40):  # where lines break
        g.arange("Float32", (n,), 1)
        g.arange("Float32", (n,), 0.25)
        g.arange("Float64", (2, n), 0.001)
    g.arange("Int64", (30,), 1000)
    g.arange("Int64", (2, 25), -7)
    g.arange("Bool", (20,), 1)
    for shape in ((2, 3, 2), (2, 1, 2, 2), (1, 2, 1, 2, 2), (3, 1), (1, 1, 1)):
        g.arange("Float32", shape, 0.5)
        g.arange("Int64", shape, 1)
    for shape in ((1000,), (1001,), (6, 200), (7, 143), (200, 6), (40, 40), (2, 600)):
        g.arange("Float32", shape, 1)
        g.arange("Float64", shape, 0.125)
    for shape in ((11, 10, 10), (7, 8, 2, 9), (7, 2, 2, 2, 7, 7)):
        g.arange("Float32", shape, 1)
    g.arange("Int64", (5000,), 3)
    g.arange("Bool", (2000,), 1)
    for extra in (["requires_grad=True"], ["grad_fn=<MulBackward0>"]):
        g.values([1, 2], "Float32", None, extra)
        g.values([1, 2], "Float64", None, extra)
        g.values([1.5], "Float32", (), extra)
        g.values([], "Float64", (0, 2), extra)
        for n in range(5, 10):  # the line is full, or nearly so
            g.arange("Float32", (n,), 0.25, extra)
            g.arange("Float64", (n,), 0.25, extra)
            g.arange("Float64", (2, n), 0.25, extra)
    return g.lines


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


GOLDENS = pathlib.Path(__file__).parents[2] / "tests" / "goldens"


def main(folder=GOLDENS):
    write(pathlib.Path(folder) / "core" / "random.txt", random_lines())
    write(pathlib.Path(folder) / "core" / "multinomial.txt", multinomial_lines())
    write(pathlib.Path(folder) / "core" / "print.txt", print_lines())


if __name__ == "__main__":
    main(*sys.argv[1:])
