#!/usr/bin/env python3
"""Writes a module of PyTorch, or a torch.fx.GraphModule, as an exported program that graphjit reads.

    from fx_to_graphjit import save
    save(torch.fx.symbolic_trace(net), [torch.randn(1, 3, 32, 32)], 'net.pt2')

    python3 fx_to_graphjit.py FILE.py FUNCTION OUT.pt2    # FUNCTION() gives (module, inputs)

The module is traced to ATen operations by make_fx, which PyTorch has since 1.13, and written in the layout and the
schema of torch.export.save, which it has since 2.1. Sizes are those of the inputs. Save modules after eval().
"""
import importlib.util
import inspect
import json
import sys
import zipfile

import torch
from torch.fx.experimental.proxy_tensor import make_fx

DTYPES = {torch.uint8: 1, torch.int8: 2, torch.int16: 3, torch.int32: 4, torch.int64: 5, torch.float16: 6, torch.float32: 7, torch.float64: 8, torch.bool: 12, torch.bfloat16: 13}


def meta(tensor):
    number = lambda n: {'as_int': n}
    return {'dtype': DTYPES[tensor.dtype], 'sizes': [number(n) for n in tensor.shape], 'requires_grad': False, 'device': {'type': 'cpu', 'index': None},
            'strides': [number(n) for n in tensor.stride()], 'storage_offset': number(0), 'layout': 7}


def argument(value):
    if isinstance(value, torch.fx.Node):
        return {'as_tensor': {'name': value.name}}
    if value is None:
        return {'as_none': True}
    if isinstance(value, bool):
        return {'as_bool': value}
    if isinstance(value, int):
        return {'as_int': value}
    if isinstance(value, float):
        return {'as_float': value if abs(value) < float('inf') else 'Infinity' if value > 0 else '-Infinity' if value < 0 else 'NaN'}
    if isinstance(value, str):
        return {'as_string': value}
    if isinstance(value, torch.dtype):
        return {'as_scalar_type': DTYPES[value]}
    if isinstance(value, torch.device):
        return {'as_device': {'type': value.type, 'index': None}}
    if isinstance(value, torch.layout):
        return {'as_layout': 7}
    if isinstance(value, torch.memory_format):
        return {'as_memory_format': 1}
    value = list(value)
    if any(isinstance(each, torch.fx.Node) for each in value):
        if all(isinstance(each, torch.fx.Node) for each in value):
            return {'as_tensors': [{'name': each.name} for each in value]}
        return {'as_optional_tensors': [argument(each) for each in value]}
    kind = 'as_floats' if any(isinstance(each, float) for each in value) else 'as_bools' if value and isinstance(value[0], bool) else 'as_ints'
    return {kind: value}


def node_of(node, unpacked):
    schema = node.target._schema
    inputs = []
    for i, formal in enumerate(schema.arguments):
        if formal.name in node.kwargs:
            inputs.append({'name': formal.name, 'arg': argument(node.kwargs[formal.name]), 'kind': 2})
        elif i < len(node.args):
            inputs.append({'name': formal.name, 'arg': argument(node.args[i]), 'kind': 1})
    if len(schema.returns) > 1:
        outputs = [{'as_tensor': {'name': unpacked.get((node, i), f'{node.name}_{i}')}} for i in range(len(schema.returns))]
    elif str(schema.returns[0].type) == 'List[Tensor]':
        count = max(i for n, i in unpacked if n is node) + 1
        outputs = [{'as_tensors': [{'name': unpacked.get((node, i), f'{node.name}_{i}')} for i in range(count)]}]
    else:
        outputs = [{'as_tensor': {'name': node.name}}]
    target = f"torch.ops.{str(node.target).replace('::', '.')}"
    return {'target': target, 'inputs': inputs, 'outputs': outputs, 'metadata': {}}


def program_of(graph_module, inputs, results):
    weights, values, specs, nodes, graph_inputs, outputs = {}, {}, [], [], [], []
    unpacked = {(n.args[0], n.args[1]): n.name for n in graph_module.graph.nodes if n.op == 'call_function' and 'getitem' in str(n.target)}
    given = iter(inputs)
    for node in graph_module.graph.nodes:
        if node.op == 'placeholder':
            values[node.name] = meta(next(given))
            graph_inputs.append({'as_tensor': {'name': node.name}})
            specs.append({'user_input': {'arg': {'as_tensor': {'name': node.name}}}})
        elif node.op == 'get_attr':
            tensor = getattr(graph_module, node.target).detach().clone()
            weights[node.target] = tensor
            values[node.name] = meta(tensor)
            graph_inputs.append({'as_tensor': {'name': node.name}})
            specs.append({'parameter': {'arg': {'name': node.name}, 'parameter_name': node.target}})
        elif node.op == 'output':
            flat = torch.utils._pytree.tree_flatten(node.args[0])[0]
            outputs = [argument(each) for each in flat]
            values.update({each.name: meta(result) for each, result in zip(flat, results) if each is not None})
        elif 'getitem' not in str(node.target):
            nodes.append(node_of(node, unpacked))
    signature = {'input_specs': specs, 'output_specs': [{'user_output': {'arg': each}} for each in outputs]}
    graph = {'inputs': graph_inputs, 'outputs': outputs, 'nodes': nodes, 'tensor_values': values, 'sym_int_values': {}, 'sym_bool_values': {}, 'is_single_tensor_return': False, 'custom_obj_values': {}}
    program = {'graph_module': {'graph': graph, 'signature': signature, 'module_call_graph': []}, 'opset_version': {'aten': 10}, 'range_constraints': {},
               'schema_version': {'major': 8, 'minor': 1}, 'verifiers': [], 'torch_version': '2.8.0'}
    return program, weights


def write(path, program, weights):
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr('m/archive_format', 'pt2')
        archive.writestr('m/models/model.json', json.dumps(program))
        config = {}
        for i, (name, tensor) in enumerate(weights.items()):
            config[name] = {'path_name': f'weight_{i}', 'is_param': True, 'use_pickle': False, 'tensor_meta': meta(tensor)}
            whole = torch.empty(0, dtype=tensor.dtype).set_(tensor.storage())
            archive.writestr(f'm/data/weights/weight_{i}', whole.numpy().tobytes())
        archive.writestr('m/data/weights/model_weights_config.json', json.dumps({'config': config}))


def save(module, inputs, path):
    """Writes a module, traced with these tensors, to a file."""
    with torch.no_grad():
        graph_module = make_fx(module)(*[each.clone() for each in inputs])
        results = torch.utils._pytree.tree_flatten(module(*[each.clone() for each in inputs]))[0]
    taken = {node.name for node in graph_module.graph.nodes}
    forward = module.forward if isinstance(module, torch.nn.Module) else module
    placeholders = [node for node in graph_module.graph.nodes if node.op == 'placeholder']
    for node, name in zip(placeholders, inspect.signature(forward).parameters):
        if name not in taken:
            node.name = name
    write(path, *program_of(graph_module, inputs, results))


def main(file, function, path):
    spec = importlib.util.spec_from_file_location('given', file)
    given = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(given)
    module, inputs = getattr(given, function)()
    save(module, inputs, path)


if __name__ == '__main__':
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
