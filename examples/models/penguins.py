# Writes penguins.onnx: a pipeline of scikit-learn (a scaler, boosted trees, classes with names) as nodes of ai.onnx.ml,
# made of the attributes that fitting gave it. Needs scikit-learn and onnx; the rows are drawn here, around means and
# deviations like those of three species of penguins.
#
#   python3 examples/models/penguins.py
import os

import numpy as np
import onnx
from onnx import TensorProto, helper
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

COLUMNS = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
SPECIES = {  # mean and deviation of each column
    "Adelie": ([38.8, 18.3, 190, 3700], [2.7, 1.2, 6.5, 460]),
    "Chinstrap": ([48.8, 18.4, 196, 3730], [3.3, 1.1, 7.1, 380]),
    "Gentoo": ([47.5, 15.0, 217, 5080], [3.1, 1.0, 6.5, 500]),
}


def draw(count, seed):
    random = np.random.default_rng(seed)
    rows = [random.normal(mean, deviation, (count, 4)) for mean, deviation in SPECIES.values()]
    return np.concatenate(rows).astype(np.float32), np.repeat(list(SPECIES), count)


def scaler(fitted):
    return helper.make_node(
        "Scaler", ["x"], ["scaled"], domain="ai.onnx.ml",
        offset=fitted.mean_.tolist(), scale=(1 / fitted.scale_).tolist(),
    )


def trees(fitted):
    """A node for all trees: round by round one for each class, whose leaves add to the score of the class."""
    columns = {name: [] for name in [
        "nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_modes",
        "nodes_truenodeids", "nodes_falsenodeids", "class_treeids", "class_nodeids", "class_ids", "class_weights",
    ]}
    for number, (label, estimator) in enumerate((i % 3, each) for i, each in enumerate(fitted.estimators_.ravel())):
        tree = estimator.tree_
        for node in range(tree.node_count):
            is_leaf = tree.children_left[node] < 0
            row = {
                "treeids": number, "nodeids": node, "modes": "LEAF" if is_leaf else "BRANCH_LEQ",
                "featureids": 0 if is_leaf else int(tree.feature[node]),
                "values": 0.0 if is_leaf else float(tree.threshold[node]),
                "truenodeids": 0 if is_leaf else int(tree.children_left[node]),
                "falsenodeids": 0 if is_leaf else int(tree.children_right[node]),
            }
            for name, value in row.items():
                columns["nodes_" + name].append(value)
            if is_leaf:
                weight = fitted.learning_rate * float(tree.value[node, 0, 0])
                for name, value in [("treeids", number), ("nodeids", node), ("ids", label), ("weights", weight)]:
                    columns["class_" + name].append(value)
    return helper.make_node(
        "TreeEnsembleClassifier", ["scaled"], ["species", "scores"], domain="ai.onnx.ml",
        classlabels_strings=fitted.classes_.tolist(), post_transform="SOFTMAX",
        base_values=np.log(fitted.init_.class_prior_).tolist(), **columns,
    )


def named(classes):
    return helper.make_node(
        "ZipMap", ["scores"], ["probabilities"], domain="ai.onnx.ml", classlabels_strings=classes.tolist(),
    )


def main():
    x, y = draw(200, 1)
    pipeline = make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=15, max_depth=3, random_state=0))
    pipeline.fit(x, y)
    scale, boost = (step for _, step in pipeline.steps)

    maps = onnx.TypeProto()
    maps.sequence_type.elem_type.map_type.key_type = TensorProto.STRING
    maps.sequence_type.elem_type.map_type.value_type.tensor_type.elem_type = TensorProto.FLOAT
    graph = helper.make_graph(
        [scaler(scale), trees(boost), named(boost.classes_)], "penguins",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", len(COLUMNS)])],
        [
            helper.make_tensor_value_info("species", TensorProto.STRING, ["rows"]),
            onnx.ValueInfoProto(name="probabilities", type=maps),
        ],
    )
    opsets = [helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(graph, producer_name="penguins.py", opset_imports=opsets, ir_version=8)
    helper.set_model_props(model, {"columns": ",".join(COLUMNS)})
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(os.path.dirname(os.path.abspath(__file__)), "penguins.onnx"))

    fresh, truth = draw(1000, 2)
    print(f"right on fresh rows: {pipeline.score(fresh, truth):.3f}")
    for row in [[39.1, 18.7, 181, 3750], [49.5, 19.0, 200, 3800], [46.1, 13.2, 211, 4500], [44.0, 17.0, 200, 4100]]:
        print(row, pipeline.predict([row])[0], pipeline.predict_proba([row])[0].round(4))


main()
