"""Writes tests/goldens/autograd/func.json: what PyTorch 1.13.1's torch.autograd.functional makes of
the functions of tests/autograd/func_test.cpp.

Inputs and directions are `noise` of tests/support/compare.h, with the seeds named here.
"""

import json
import pathlib
import sys

import torch
from torch.autograd import functional

from autograd import GOLDENS, noise, tensor

A, B = noise((2, 3), 1), noise((3,), 2)
V_A, V_B, V_OUT = noise((2, 3), 3), noise((3,), 4), noise((2, 2), 5)
W = noise((3, 2), 6)


def matrix(a):  # (2, 3) -> (2, 2)
    return torch.tanh(a @ W) * a.sum()


def scalar(a):
    return (torch.exp(a) * a.sin()).sum()


def mixed(a, b):  # (2, 3), (3) -> (3), (), and what depends on b alone
    return (a * b).sum(0), (a @ b).exp().sum(), b**3


def bilinear(a, b):
    return (a * b).exp().sum() + (b**4).sum()


def flat(x):
    """Everything in nested tuples, in order."""
    return [x] if isinstance(x, torch.Tensor) else [t for part in x for t in flat(part)]


def results():
    many = (V_B, torch.tensor(1.5, dtype=torch.float64), noise((3,), 7))
    yield "vjp", functional.vjp(matrix, A, V_OUT)
    yield "vjp of several", functional.vjp(mixed, (A, B), many)
    yield "jvp", functional.jvp(matrix, A, V_A)
    yield "jvp of several", functional.jvp(mixed, (A, B), (V_A, V_B))
    yield "jacobian", functional.jacobian(matrix, A)
    yield "jacobian of several", functional.jacobian(mixed, (A, B))
    yield "hessian", functional.hessian(scalar, A)
    yield "hessian of several", functional.hessian(bilinear, (A, B))
    yield "hvp", functional.hvp(scalar, A, V_A)
    yield "hvp of several", functional.hvp(bilinear, (A, B), (V_A, V_B))
    yield "jacobian of a hvp", functional.jacobian(
        lambda a: functional.hvp(scalar, a, V_A, create_graph=True)[1], A
    )


def main(folder=GOLDENS):
    lines = [f"{json.dumps(name)}: {json.dumps([tensor(t) for t in flat(r)])}" for name, r in results()]
    path = pathlib.Path(folder) / "autograd" / "func.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
