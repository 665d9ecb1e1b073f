"""Evaluates expressions with NumPy and PyTorch for test/support/outside.js.

Reads JSON from standard input: {"inputs": {name: [dtype, shape, base64]}, "cases": [expression, ...]}. In an
expression the inputs are NumPy arrays by their names, np is NumPy, and where PyTorch is installed torch is it, F
its functional module and t(x) the tensor of an array. Writes a JSON list with [dtype, shape, base64] or
{"error": text} per expression.
"""
import base64
import json
import sys

import numpy as np

names = {"np": np}
try:
    import torch
    import torch.nn.functional as F

    names.update(torch=torch, F=F, t=torch.from_numpy)
except ImportError:
    pass


def decode(dtype, shape, text):
    return np.frombuffer(base64.b64decode(text), dtype=dtype).reshape(shape).copy()


def encode(value):
    if hasattr(value, "detach"):
        value = value.detach().numpy()
    value = np.asarray(value, order="C")
    return [value.dtype.str, list(value.shape), base64.b64encode(value.tobytes()).decode()]


def evaluate(text, inputs):
    with np.errstate(all="ignore"):
        return encode(eval(text, {**names, **inputs}))


request = json.load(sys.stdin)
inputs = {name: decode(*each) for name, each in request["inputs"].items()}
results = []
for case in request["cases"]:
    try:
        results.append(evaluate(case, inputs))
    except Exception as error:  # the message is the result
        results.append({"error": f"{type(error).__name__}: {error}"})
json.dump({"torch": "torch" in names, "results": results}, sys.stdout)
