# Writes the models of torch-models.py as exported programs, and what they give for recorded inputs.
#
#   python3 torch-export.py FOLDER [pattern]
import importlib.util
import pathlib
import re
import sys

import numpy
import torch

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent.parent / 'scripts'))
from fx_to_graphjit import save  # noqa: E402

spec = importlib.util.spec_from_file_location('torch_models', here / 'torch-models.py')
models = importlib.util.module_from_spec(spec)
spec.loader.exec_module(models)


def main(folder, pattern='.'):
    torch.manual_seed(0)
    for name, (make, inputs) in models.MODELS.items():
        if name in models.SCRIPTED_ONLY or not re.search(pattern, name):
            continue
        torch.manual_seed(1)
        module = models.settle(make())
        save(module, inputs, f'{folder}/{name}.pt2')
        models.record(f'{folder}/{name}.npz', inputs, module(*[each.clone() for each in inputs]))


main(*sys.argv[1:])
