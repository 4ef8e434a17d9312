"""Writes tests/goldens/nn/: what PyTorch 1.13.1 (Debian, no MKL) initialises, drops and learns.

Tensors are {"shape", "dtype", "data"}, their values in row-major order, each the shortest that names
its number.

init.json       layers and initialisers after torch.manual_seed(seed)
dropout.json    dropout of ones, and the weights of attention with dropout
optimizers.json parameters after each step, from given gradients
groups.json     the same in groups with their own rates and decays, the common rate changing
muon.json       matrices after each step of Muon, in float64
clip.json       norms, and gradients after clipping
layers.json     PyTorch's layers of transformers: initialised, called, printed
models.json     a GPT and a Llama: initialised (the GPT), called
training.json   20 Adam steps of multi-head attention in float64, dropout active: every loss
"""

import json
import math
import pathlib
import sys

import torch
from torch import nn

DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.int64: "i64", torch.bool: "bool"}


def dump(tensor):
    tensor = tensor.detach()
    data = [float(str(v)) if tensor.is_floating_point() else int(v) for v in tensor.reshape(-1).numpy()]
    return {"shape": list(tensor.shape), "dtype": DTYPES[tensor.dtype], "data": data}


def dump_all(module):
    return {name: dump(tensor) for name, tensor in module.state_dict().items()}


class Attention(nn.Module):
    """Multi-head attention with separate projections, 0 in the mask meaning hidden."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.W_q = nn.Linear(width, width)
        self.W_k = nn.Linear(width, width)
        self.W_v = nn.Linear(width, width)
        self.W_o = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        return x.view(x.size(0), -1, self.heads, x.size(2) // self.heads).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.W_q(query)), self.split(self.W_k(key)), self.split(self.W_v(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        self.weights = self.dropout(scores.softmax(-1))
        return self.W_o((self.weights @ v).transpose(1, 2).reshape(query.shape))


def init_goldens():
    layers = {
        "Linear(4, 3)": lambda: nn.Linear(4, 3),
        "Linear(7, 5, bias=False)": lambda: nn.Linear(7, 5, bias=False),
        "Linear(33, 9)": lambda: nn.Linear(33, 9),
        "Embedding(3, 5)": lambda: nn.Embedding(3, 5),
        "LayerNorm(4)": lambda: nn.LayerNorm(4),
        "MultiHeadAttention(6, 3)": lambda: Attention(6, 3, 0.1),
        "Linear(5, 3).double()": lambda: nn.Linear(5, 3).double(),
    }
    result = {}
    for seed, (name, make) in enumerate(layers.items()):
        torch.manual_seed(seed)
        result[name] = {"seed": seed, "state": dump_all(make())}
    large = nn.Embedding(11, 6)
    torch.manual_seed(3)
    large.reset_parameters()

    initialisers = {
        "uniform_(-2, 3)": lambda w: nn.init.uniform_(w, -2, 3),
        "normal_(1, 0.5)": lambda w: nn.init.normal_(w, 1, 0.5),
        "xavier_uniform_()": nn.init.xavier_uniform_,
        "xavier_uniform_(5/3)": lambda w: nn.init.xavier_uniform_(w, nn.init.calculate_gain("tanh")),
        "xavier_normal_()": nn.init.xavier_normal_,
        "kaiming_uniform_()": nn.init.kaiming_uniform_,
        "kaiming_uniform_(0, fan_out, relu)": lambda w: nn.init.kaiming_uniform_(w, 0, "fan_out", "relu"),
        "kaiming_normal_()": nn.init.kaiming_normal_,
        "kaiming_normal_(0.2, fan_out)": lambda w: nn.init.kaiming_normal_(w, 0.2, "fan_out"),
    }
    filled = {}
    for name, fill in initialisers.items():
        for dtype in (torch.float32, torch.float64):
            torch.manual_seed(7)
            filled[f"{name} {DTYPES[dtype]}"] = dump(fill(torch.empty(3, 2, 2, dtype=dtype)))
    gains = {name: nn.init.calculate_gain(name) for name in ("linear", "sigmoid", "tanh", "relu", "leaky_relu", "selu")}
    gains["leaky_relu 0.3"] = nn.init.calculate_gain("leaky_relu", 0.3)
    return {"layers": result, "Embedding(11, 6)": dump(large.weight), "initialisers": filled, "gains": gains}


def dropout_goldens():
    ones = []
    for seed, (p, shape) in enumerate([(0.1, (3, 7)), (0.5, (2, 3, 4)), (0.25, (40,)), (0.0, (5,)), (1.0, (5,))]):
        for dtype in (torch.float32, torch.float64):
            torch.manual_seed(seed)
            y = nn.Dropout(p)(torch.ones(shape, dtype=dtype))
            ones.append({"seed": seed, "p": p, "y": dump(y), "next": dump(torch.rand(1))})
    torch.manual_seed(0)
    attention, x = Attention(8, 2, 0.3), torch.rand(2, 5, 8)
    mask = torch.ones(5, 5).tril()
    torch.manual_seed(11)
    output = attention(x, x, x, mask)
    return {"ones": ones, "attention": {"x": dump(x), "weights": dump(attention.weights), "output": dump(output)}}


OPTIMIZERS = {
    "SGD": (torch.optim.SGD, dict(lr=0.1)),
    "SGD weight_decay": (torch.optim.SGD, dict(lr=0.1, weight_decay=0.03)),
    "SGD momentum": (torch.optim.SGD, dict(lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.03)),
    "SGD nesterov": (torch.optim.SGD, dict(lr=0.1, momentum=0.9, weight_decay=0.03, nesterov=True)),
    "Adam": (torch.optim.Adam, dict(lr=0.01)),
    "Adam L2": (torch.optim.Adam, dict(lr=2.0, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1)),
    "AdamW": (torch.optim.AdamW, dict(lr=0.01)),
    "AdamW decay": (torch.optim.AdamW, dict(lr=0.02, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.2)),
}


def optimizer_goldens():
    torch.manual_seed(0)
    start = torch.randn(101, dtype=torch.float64)
    grads = torch.randn(4, 101, dtype=torch.float64)
    result = {"start": dump(start.float()), "grads": dump(grads.float()), "runs": {}}
    for name, (make, options) in OPTIMIZERS.items():
        for dtype in (torch.float32, torch.float64):
            p = start.float().to(dtype).requires_grad_()
            optimizer, after = make([p], **options), []
            for step, grad in enumerate(grads.float().to(dtype)):
                if step == 3:
                    optimizer.param_groups[0]["lr"] /= 2
                p.grad = grad.clone()
                optimizer.step()
                after.append(p.detach().clone())
            result["runs"][f"{name} {DTYPES[dtype]}"] = {"options": options, "after": dump(torch.stack(after))}
    return result


def group_goldens():
    """A parameter in each of two groups, the second with its own lr and weight decay; from step 2 on
    both rates are a quarter."""
    torch.manual_seed(0)
    starts = [torch.randn(3, 5, dtype=torch.float64), torch.randn(7, dtype=torch.float64)]
    grads = [torch.randn(4, *s.shape, dtype=torch.float64) for s in starts]
    result = {"starts": [dump(s) for s in starts], "grads": [dump(g) for g in grads], "runs": {}}
    for name, make, options in (
        ("SGD", torch.optim.SGD, dict(lr=0.1, momentum=0.9, weight_decay=0.03)),
        ("AdamW", torch.optim.AdamW, dict(lr=0.1, weight_decay=0.03)),
    ):
        parameters = [s.clone().requires_grad_() for s in starts]
        groups = [dict(params=parameters[:1]), dict(params=parameters[1:], lr=0.02, weight_decay=0.0)]
        optimizer, after = make(groups, **options), [[], []]
        for step in range(4):
            if step == 2:
                for group in optimizer.param_groups:
                    group["lr"] *= 0.25
            for parameter, grad in zip(parameters, grads):
                parameter.grad = grad[step].clone()
            optimizer.step()
            for history, parameter in zip(after, parameters):
                history.append(parameter.detach().clone())
        result["runs"][name] = [dump(torch.stack(history)) for history in after]
    return result


def newton_schulz(g):
    """As in https://github.com/KellerJordan/Muon, but in the dtype of g."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g.T if g.size(0) > g.size(1) else g
    x = x / (x.norm() + 1e-7)
    for _ in range(5):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return x.T if g.size(0) > g.size(1) else x


def muon_goldens():
    torch.manual_seed(0)
    result = {"runs": []}
    for shape, options in (
        ((3, 5), dict(lr=0.02, weight_decay=0.0, momentum=0.95, nesterov=True)),
        ((7, 2), dict(lr=0.1, weight_decay=0.2, momentum=0.8, nesterov=True)),
        ((4, 4), dict(lr=0.1, weight_decay=0.2, momentum=0.8, nesterov=False)),
    ):
        start, grads = torch.randn(shape, dtype=torch.float64), torch.randn(4, *shape, dtype=torch.float64)
        p, buffer, after = start.clone(), torch.zeros(shape, dtype=torch.float64), []
        for grad in grads:
            buffer.lerp_(grad, 1 - options["momentum"])
            update = grad.lerp(buffer, options["momentum"]) if options["nesterov"] else buffer
            p = p * (1 - options["lr"] * options["weight_decay"])
            p = p - options["lr"] * max(1, shape[0] / shape[1]) ** 0.5 * newton_schulz(update)
            after.append(p)
        run = {"options": options, "start": dump(start), "grads": dump(grads), "after": dump(torch.stack(after))}
        result["runs"].append(run)
    return result


def clip_goldens():
    torch.manual_seed(0)
    grads = [torch.randn(4, 3, dtype=torch.float64), torch.randn(5, dtype=torch.float64)]
    result = {"grads": [dump(g) for g in grads], "clips": []}
    for max_norm in (0.0, 0.5, 2.0, 100.0):
        parameters = [torch.zeros_like(g).requires_grad_() for g in grads]
        for parameter, grad in zip(parameters, grads):
            parameter.grad = grad.clone()
        norm = nn.utils.clip_grad_norm_(parameters, max_norm)
        clipped = [dump(p.grad) for p in parameters]
        result["clips"].append({"max_norm": max_norm, "norm": norm.item(), "grads": clipped})
    return result


def layer_goldens():
    """Each layer's state after manual_seed(seed), in float32, and what it returns in float64."""
    layers = {
        "MultiheadAttention(6, 2)": lambda: nn.MultiheadAttention(6, 2, batch_first=True),
        "MultiheadAttention(6, 3, bias=False)": lambda: nn.MultiheadAttention(6, 3, bias=False, batch_first=True),
        "MultiheadAttention(6, 2, kdim=3, vdim=5)": lambda: nn.MultiheadAttention(
            6, 2, kdim=3, vdim=5, batch_first=True),
        "TransformerEncoderLayer(4, 2, 7)": lambda: nn.TransformerEncoderLayer(4, 2, 7, batch_first=True),
        "TransformerDecoderLayer(4, 2, 7)": lambda: nn.TransformerDecoderLayer(4, 2, 7, batch_first=True),
        "TransformerDecoderLayer(4, 2, 7, norm_first)": lambda: nn.TransformerDecoderLayer(
            4, 2, 7, activation="gelu", norm_first=True, batch_first=True),
    }
    result = {}
    for seed, (name, make) in enumerate(layers.items()):
        torch.manual_seed(seed)
        layer = make()
        state = dump_all(layer)
        layer.double().train(False)
        for parameter in layer.parameters():  # biases and weights of norms, too
            parameter.data.add_(torch.rand(parameter.shape, dtype=torch.float64) * 0.1)
        width = 6 if "Multi" in name else 4
        x = torch.rand(2, 3, width, dtype=torch.float64)
        y = torch.rand(2, 5, 3 if "kdim" in name else width, dtype=torch.float64)
        z = torch.rand(2, 5, 5 if "vdim" in name else width, dtype=torch.float64)
        hidden = torch.ones(3, 3).triu(1) == 1
        padded = torch.tensor([[False] * 5, [False, False, True, True, True]])
        if "Multi" in name:
            output = layer(x, y, z, key_padding_mask=padded, need_weights=False)[0]
        elif "Encoder" in name:
            output = layer(x, src_mask=hidden)
        else:
            output = layer(x, y, tgt_mask=hidden, memory_key_padding_mask=padded)
        inputs = {"x": dump(x), "y": dump(y), "z": dump(z)}
        result[name] = {"seed": seed, "state": state, "changed": dump_all(layer), **inputs, "output": dump(output)}
    printed = nn.Sequential(
        nn.Linear(4, 3), nn.ReLU(), nn.GELU("tanh"), nn.Linear(3, 4, bias=False),
        nn.Sequential(nn.LayerNorm(4), nn.Dropout(0.0), nn.Dropout(0.1)), nn.Embedding(5, 2),
        nn.LayerNorm((2, 3), eps=1e-6, elementwise_affine=False))
    return {**result, "printed": str(printed)}


class GPT(nn.Module):
    """The shape, names and initialisation of nanoGPT's, with the tanh form of GELU."""

    def __init__(self, vocabulary, context, width, heads, layers):
        super().__init__()
        self.heads = heads
        block = lambda: nn.ModuleDict({  # noqa: E731
            "ln_1": nn.LayerNorm(width),
            "attn": nn.ModuleDict({"c_attn": nn.Linear(width, 3 * width), "c_proj": nn.Linear(width, width)}),
            "ln_2": nn.LayerNorm(width),
            "mlp": nn.ModuleDict({"c_fc": nn.Linear(width, 4 * width), "c_proj": nn.Linear(4 * width, width)}),
        })
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(vocabulary, width), "wpe": nn.Embedding(context, width),
            "h": nn.ModuleList([block() for _ in range(layers)]), "ln_f": nn.LayerNorm(width)})
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self.draw)
        for name, parameter in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(parameter, mean=0.0, std=0.02 / math.sqrt(2 * layers))

    @staticmethod
    def draw(module):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, tokens):
        batch, length = tokens.shape
        body = self.transformer
        x = body.wte(tokens) + body.wpe(torch.arange(length))
        hidden = torch.ones(length, length).triu(1) == 1
        for block in body.h:
            q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                       for part in block["attn"]["c_attn"](block["ln_1"](x)).chunk(3, -1))
            scores = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).masked_fill(hidden, -math.inf)
            x = x + block["attn"]["c_proj"]((scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))
            inner = block["mlp"]["c_fc"](block["ln_2"](x))
            x = x + block["mlp"]["c_proj"](nn.functional.gelu(inner, approximate="tanh"))
        return self.lm_head(body.ln_f(x))


def llama(weights, tokens, heads, kv_heads, layers, eps=1e-5):
    """What Meta's code computes: neighbouring features are complex numbers that are turned."""
    norm = lambda x, w: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w  # noqa: E731
    batch, length = tokens.shape
    x = weights["tok_embeddings.weight"][tokens]
    size = x.size(-1) // heads
    frequencies = 1 / 10000 ** (torch.arange(0, size, 2, dtype=x.dtype) / size)
    angles = torch.outer(torch.arange(length, dtype=x.dtype), frequencies)
    turn = torch.polar(torch.ones_like(angles), angles).view(1, length, 1, -1)

    def turned(x):
        return torch.view_as_real(torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * turn).flatten(-2)

    hidden = torch.ones(length, length).triu(1) == 1
    for i in range(layers):
        w = {name[len(f"layers.{i}."):]: value for name, value in weights.items() if name.startswith(f"layers.{i}.")}
        y = norm(x, w["attention_norm.weight"])
        q = turned((y @ w["attention.wq.weight"].T).view(batch, length, heads, size)).transpose(1, 2)
        k = turned((y @ w["attention.wk.weight"].T).view(batch, length, kv_heads, size)).transpose(1, 2)
        v = (y @ w["attention.wv.weight"].T).view(batch, length, kv_heads, size).transpose(1, 2)
        k, v = (t.repeat_interleave(heads // kv_heads, 1) for t in (k, v))
        scores = (q @ k.transpose(-2, -1) / math.sqrt(size)).masked_fill(hidden, -math.inf)
        x = x + (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape) @ w["attention.wo.weight"].T
        y = norm(x, w["ffn_norm.weight"])
        gate = nn.functional.silu(y @ w["feed_forward.w1.weight"].T) * (y @ w["feed_forward.w3.weight"].T)
        x = x + gate @ w["feed_forward.w2.weight"].T
    return norm(x, weights["norm.weight"]) @ weights["output.weight"].T


def model_goldens():
    torch.manual_seed(0)
    gpt = GPT(vocabulary=7, context=5, width=8, heads=2, layers=2)
    state = dump_all(gpt)
    tokens = torch.tensor([[1, 0, 6, 2, 2], [3, 3, 5, 4, 0]])
    gpt.double()
    result = {"tokens": dump(tokens), "GPT": {"state": state, "logits": dump(gpt(tokens))}}

    width, inner, heads, kv_heads = 12, 5, 3, 1
    part = width // heads * kv_heads
    shapes = {"tok_embeddings.weight": (7, width)}
    for i in range(2):
        shapes |= {f"layers.{i}.attention.wq.weight": (width, width), f"layers.{i}.attention.wk.weight": (part, width),
                   f"layers.{i}.attention.wv.weight": (part, width), f"layers.{i}.attention.wo.weight": (width, width),
                   f"layers.{i}.feed_forward.w1.weight": (inner, width),
                   f"layers.{i}.feed_forward.w2.weight": (width, inner),
                   f"layers.{i}.feed_forward.w3.weight": (inner, width),
                   f"layers.{i}.attention_norm.weight": (width,), f"layers.{i}.ffn_norm.weight": (width,)}
    shapes |= {"norm.weight": (width,), "output.weight": (7, width)}
    weights = {name: torch.rand(shape).double() - 0.5 for name, shape in shapes.items()}
    logits = llama(weights, tokens, heads, kv_heads, layers=2)
    result["Llama"] = {"state": {name: dump(w) for name, w in weights.items()}, "logits": dump(logits)}
    return result


def training_goldens():
    torch.manual_seed(0)
    model = Attention(16, 4, 0.1).double()
    x, target = torch.rand(3, 7, 16, dtype=torch.float64), torch.rand(3, 7, 16, dtype=torch.float64)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    mask = torch.ones(7, 7).tril()
    torch.manual_seed(1)
    losses = []
    for _ in range(20):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(x, x, x, mask), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"x": dump(x), "target": dump(target), "losses": losses}


def main(folder):
    folder = pathlib.Path(folder) / "nn"
    folder.mkdir(parents=True, exist_ok=True)
    goldens = {
        "init": init_goldens(),
        "dropout": dropout_goldens(),
        "optimizers": optimizer_goldens(),
        "groups": group_goldens(),
        "muon": muon_goldens(),
        "clip": clip_goldens(),
        "layers": layer_goldens(),
        "models": model_goldens(),
        "training": training_goldens(),
    }
    for name, golden in goldens.items():
        parts = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in golden.items())
        (folder / f"{name}.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2] / "tests" / "goldens")
