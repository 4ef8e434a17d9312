"""Writes tests/goldens/autograd/: what PyTorch 1.13.1 makes of every row of our op table.

calls.txt lists the rows: a call, a bar, the shapes of its inputs a, b, c, ...; a test says which are
missing. For each, whole.json holds its outputs for Int64 and for Bool inputs, null where PyTorch
refuses them, and ops.json float64 values in row-major order: the outputs, what the floating
ones are projected on (the loss is the sum of the products) and the gradient of each input, null
where there is none. Inputs are those of example_inputs (autograd/op_table.h).
"""

import json
import math
import pathlib
import re
import sys

import torch
import torch.nn.functional as F

GOLDENS = pathlib.Path(__file__).parents[2] / "tests" / "goldens"


# ---- what calls use besides PyTorch's own functions ----------------------------------------------


def every_third(*shape):
    return (torch.arange(math.prod(shape)) % 3 == 0).view(shape)


def keep(*shape):
    return (~every_third(*shape)).double() * 1.5


def seeded(f, *args):
    torch.manual_seed(3)
    return f(*args)


def attend(q, k, v, mask=None, bias=None, keep=None, scale=1.0):
    scores = q @ k.mT * scale
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, -1)
    if keep is not None:
        weights = weights * keep
    return weights @ v, weights


def rms_norm(x, normalized, weight=None, eps=None):
    mean = x.pow(2).mean(tuple(range(-len(normalized), 0)), keepdim=True)
    y = x / (mean + (torch.finfo(x.dtype).eps if eps is None else eps)).sqrt()
    return y if weight is None else y * weight


def slice_backward(g, shape, d, start, end, step):
    result = torch.zeros(shape, dtype=g.dtype)
    return torch.slice_scatter(result, g, d, start, end, step)


def diagonal_backward(g, shape, offset, d0, d1):
    return torch.diagonal_scatter(torch.zeros(shape, dtype=g.dtype), g, offset, d0, d1)


def put(x, indices, values):
    result = x.clone()
    result[indices] = values
    return result


NAMES = {
    **{name: getattr(torch, name) for name in dir(torch) if not name.startswith("_")},
    **{
        name: getattr(F, name)
        for name in (
            "gelu silu leaky_relu elu softplus logsigmoid softmax log_softmax layer_norm dropout"
            " embedding linear one_hot cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss"
            " huber_loss kl_div binary_cross_entropy binary_cross_entropy_with_logits"
            " cosine_similarity"
        ).split()
    },
    **{
        f.__name__: f
        for f in (every_third, keep, seeded, attend, rms_norm, slice_backward, diagonal_backward, put)
    },
    "classes": torch.tensor([2, 0, -100, 1]),
    "pixels": torch.tensor([[1, -100], [0, 2]]),
}


# ---- inputs and weights: the same numbers as in C++ -----------------------------------------------


def example_inputs(shapes, positive):
    count = 0
    for shape in shapes:
        numbers = []
        for _ in range(math.prod(shape)):
            step = (37 * count + 11) % 97
            count += 1
            value = 0.25 + step / 64
            numbers.append(-value if step % 3 == 0 and not positive else value)
        yield torch.tensor(numbers, dtype=torch.float64).view(shape).requires_grad_()


def noise(shape, seed):
    """`noise` of tests/support/compare.h."""
    state, numbers = seed, []
    for _ in range(math.prod(shape)):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        u = (state >> 11) / 2**53
        numbers.append(-0.2 - 1.6 * u if u < 0.5 else 0.2 + 1.6 * (u - 0.5))
    return torch.tensor(numbers, dtype=torch.float64).view(shape)


# ---- rows ----------------------------------------------------------------------------------------


def numbers(x):
    return [v if not isinstance(v, float) or math.isfinite(v) else str(v) for v in x.flatten().tolist()]


def tensor(x):
    dtype = {torch.float64: "f64", torch.float32: "f32", torch.int64: "i64", torch.bool: "bool"}[x.dtype]
    return {"shape": list(x.shape), "dtype": dtype, "data": numbers(x.detach())}


def evaluate(call, shapes, positive):
    inputs = list(example_inputs(shapes, positive))
    outputs = eval(call, dict(NAMES), dict(zip("abcd", inputs)))
    outputs = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
    loss, onto = 0, []
    for output in outputs:
        if output.is_floating_point():
            onto.append(noise(output.shape, 101 + len(onto)))
            loss = loss + (output * onto[-1]).sum()
    gradients = [None] * len(inputs)
    if isinstance(loss, torch.Tensor) and loss.requires_grad:
        gradients = torch.autograd.grad(loss, inputs, allow_unused=True)
    return {
        "inputs": [tensor(x) for x in inputs],
        "outputs": [tensor(x) for x in outputs],
        "onto": [tensor(x) for x in onto],
        "gradients": [None if g is None else tensor(g) for g in gradients],
    }


def whole_inputs(shapes, positive, dtype):
    """`whole_inputs` of tests/autograd/op_dtypes_test.cpp."""
    for x in example_inputs(shapes, positive):
        x = (x.detach() * 2).trunc() + positive
        yield x.long() if dtype == torch.int64 else x > 0


def evaluate_whole(call, shapes, positive, dtype):
    try:
        inputs = whole_inputs(shapes, positive, dtype)
        outputs = eval(call, dict(NAMES), dict(zip("abcd", inputs)))
        outputs = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
        return [tensor(x) for x in outputs]
    except (RuntimeError, TypeError, IndexError, ValueError):
        return None


def rows(text):
    """The lines of calls.txt; a + before the bar says that inputs are positive."""
    for line in text.splitlines():
        call, sign, shapes = re.fullmatch(r"(.*) (\+?)\| (.*)", line).groups()
        shapes = [eval(s.replace(")", ",)") if s != "()" else s) for s in re.findall(r"\([\d, ]*\)", shapes)]
        yield line, call, shapes, sign == "+"


def write(path, results):
    lines = [f"{json.dumps(key)}: {json.dumps(result)}" for key, result in results]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main(folder=GOLDENS):
    folder = pathlib.Path(folder) / "autograd"
    calls = list(rows((folder / "calls.txt").read_text()))
    write(folder / "ops.json", ((line, evaluate(*row)) for line, *row in calls))
    whole = {"Int64": torch.int64, "Bool": torch.bool}
    write(
        folder / "whole.json",
        ((line, {name: evaluate_whole(*row, dtype) for name, dtype in whole.items()}) for line, *row in calls),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
