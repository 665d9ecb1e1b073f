# Writes one ONNX model: the request is one JSON object on stdin, the file the only argument.
#
#   { dtype, inputs: { name: shape }, constants: { name: number | [number] }, nodes: [[op, inputs, output, attributes]] }
#
# The output of the last node is that of the model. Status 3 means that the package onnx is not installed.
import json
import sys

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    sys.exit(3)

dtypes = {"f32": (TensorProto.FLOAT, numpy.float32), "f64": (TensorProto.DOUBLE, numpy.float64)}


def constant(name, value, dtype):
    axes = isinstance(value, list)  # axes are the only lists, and integers
    return numpy_helper.from_array(numpy.array(value, numpy.int64 if axes else dtype), name)


def main():
    request = json.load(sys.stdin)
    kind, dtype = dtypes[request["dtype"]]
    nodes = [helper.make_node(op, inputs, output.split(), **attributes) for op, inputs, output, attributes in request["nodes"]]
    inputs = [helper.make_tensor_value_info(name, kind, shape) for name, shape in request["inputs"].items()]
    outputs = [helper.make_tensor_value_info(nodes[-1].output[0], kind, None)]
    constants = [constant(name, value, dtype) for name, value in request["constants"].items()]
    graph = helper.make_graph(nodes, "bench", inputs, outputs, constants)
    # The least versions that have LayerNormalization, so that old runtimes read the file.
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)], ir_version=8)
    onnx.save(model, sys.argv[1])


main()
