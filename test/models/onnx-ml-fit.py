"""Writes onnx-ml-fitted.json: models that scikit-learn fitted, as attributes of ai.onnx.ml, and what they predict.

    python3 test/models/onnx-ml-fit.py

Attributes are those that skl2onnx writes. Recorded with scikit-learn 1.2.
"""
import json
import pathlib
import warnings

import numpy as np
from sklearn import ensemble, linear_model, preprocessing, svm
from sklearn.impute import SimpleImputer

warnings.filterwarnings('ignore')
random = np.random.RandomState(0)
X = (random.rand(60, 3) * 4 - 2).round(2).astype(np.float32)
noise = random.randn(60) * 0.4
y3 = np.digitize(X[:, 0] + X[:, 1] * X[:, 2] * 0.5 + noise, [-0.7, 0.7])
y2 = (y3 > 0).astype(int)
yr = X[:, 0] * 2 - X[:, 1] ** 2 + noise
rows = X[:12]
cases = []


def record(name, op, attributes, outputs, x=rows):
    cases.append({'name': name, 'op': op, 'attributes': attributes, 'x': x.tolist(),
                  'outputs': [np.asarray(each).tolist() for each in outputs]})


def classified(model, x=rows):
    return [model.predict(x), model.predict_proba(x)]


class Nodes:
    """Trees as lists of attributes."""

    def __init__(self, kind):
        self.kind = kind
        self.nodes = {key: [] for key in ['treeids', 'nodeids', 'modes', 'featureids', 'values', 'truenodeids',
                                          'falsenodeids', 'missing_value_tracks_true']}
        self.votes = {key: [] for key in ['treeids', 'nodeids', 'ids', 'weights']}
        self.count = 0

    def add_row(self, *row):
        for key, value in zip(self.nodes, row):
            self.nodes[key].append(value)

    def vote(self, node, target, weight):
        for key, value in zip(self.votes, [self.count, node, target, float(weight)]):
            self.votes[key].append(value)

    def add(self, tree, votes):
        for i in range(tree.node_count):
            leaf = tree.children_left[i] < 0
            threshold = np.float32(tree.threshold[i])
            if threshold > tree.threshold[i]:
                threshold = np.nextafter(threshold, np.float32(-np.inf))
            self.add_row(self.count, i, 'LEAF' if leaf else 'BRANCH_LEQ', 0 if leaf else int(tree.feature[i]),
                         0.0 if leaf else float(threshold), 0 if leaf else int(tree.children_left[i]),
                         0 if leaf else int(tree.children_right[i]), 0)
            if leaf:
                for target, weight in votes(tree.value[i]):
                    self.vote(i, target, weight)
        self.count += 1

    def add_histogram_tree(self, nodes, target):
        for i, node in enumerate(nodes):
            leaf = bool(node['is_leaf'])
            self.add_row(self.count, i, 'LEAF' if leaf else 'BRANCH_LEQ', 0 if leaf else int(node['feature_idx']),
                         0.0 if leaf else float(node['num_threshold']), 0 if leaf else int(node['left']),
                         0 if leaf else int(node['right']), 0 if leaf else int(node['missing_go_to_left']))
            if leaf:
                self.vote(i, target, node['value'])
        self.count += 1

    def attributes(self, **more):
        return {**{f'nodes_{key}': value for key, value in self.nodes.items()},
                **{f'{self.kind}_{key}': value for key, value in self.votes.items()}, **more}


# ---------------------------------------------------------------------------------------- trees

forest = ensemble.RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, y3)
trees = Nodes('class')
for each in forest.estimators_:
    trees.add(each.tree_, lambda value: enumerate(value[0] / value[0].sum() / 3))
record('random forest, 3 classes', 'TreeEnsembleClassifier',
       trees.attributes(classlabels_int64s=[0, 1, 2], post_transform='NONE'), classified(forest))

forest = ensemble.RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, y2)
trees = Nodes('class')
for each in forest.estimators_:
    trees.add(each.tree_, lambda value: [(0, value[0][1] / value[0].sum() / 3)])
record('random forest, 2 classes', 'TreeEnsembleClassifier',
       trees.attributes(classlabels_int64s=[0, 1], post_transform='NONE'), classified(forest))

boosted = ensemble.GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0).fit(X, y2)
trees = Nodes('class')
for each in boosted.estimators_:
    trees.add(each[0].tree_, lambda value: [(0, value[0][0] * 0.1)])
record('boosted trees, 2 classes', 'TreeEnsembleClassifier',
       trees.attributes(classlabels_int64s=[0, 1], post_transform='LOGISTIC',
                        base_values=boosted._raw_predict_init(rows)[0].tolist()), classified(boosted))

boosted = ensemble.GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0).fit(X, y3)
trees = Nodes('class')
for stage in boosted.estimators_:
    for target, each in enumerate(stage):
        trees.add(each.tree_, lambda value: [(target, value[0][0] * 0.1)])
record('boosted trees, 3 classes', 'TreeEnsembleClassifier',
       trees.attributes(classlabels_int64s=[0, 1, 2], post_transform='SOFTMAX',
                        base_values=boosted._raw_predict_init(rows)[0].tolist()), classified(boosted))

forest = ensemble.RandomForestRegressor(3, max_depth=3, random_state=0).fit(X, yr)
trees = Nodes('target')
for each in forest.estimators_:
    trees.add(each.tree_, lambda value: [(0, value[0][0])])
record('random forest, regression', 'TreeEnsembleRegressor', trees.attributes(n_targets=1, aggregate_function='AVERAGE'),
       [forest.predict(rows).reshape(-1, 1)])

holes = X.copy()
holes[::3, 0] = np.nan
holes[1::4, 1] = np.nan
histogram = ensemble.HistGradientBoostingRegressor(max_iter=4, max_depth=3, min_samples_leaf=4).fit(holes, yr)
trees = Nodes('target')
for stage in histogram._predictors:
    trees.add_histogram_tree(stage[0].nodes, 0)
record('histogram trees with missing values', 'TreeEnsembleRegressor',
       trees.attributes(n_targets=1, base_values=[float(histogram._baseline_prediction.ravel()[0])]),
       [histogram.predict(holes[:12]).reshape(-1, 1)], holes[:12])

# ------------------------------------------------------------------------------- linear, vectors

logistic = linear_model.LogisticRegression().fit(X, y2)
record('logistic regression, 2 classes', 'LinearClassifier',
       {'classlabels_ints': [0, 1], 'multi_class': 0, 'post_transform': 'LOGISTIC',
        'coefficients': [*(-logistic.coef_).ravel(), *logistic.coef_.ravel()],
        'intercepts': [*(-logistic.intercept_), *logistic.intercept_]}, classified(logistic))
logistic = linear_model.LogisticRegression(multi_class='multinomial').fit(X, y3)
record('logistic regression, 3 classes', 'LinearClassifier',
       {'classlabels_ints': [0, 1, 2], 'multi_class': 1, 'post_transform': 'SOFTMAX',
        'coefficients': logistic.coef_.ravel().tolist(), 'intercepts': logistic.intercept_.tolist()}, classified(logistic))
linear = linear_model.LinearRegression().fit(X, np.stack([yr, y2], 1))
record('linear regression', 'LinearRegressor',
       {'coefficients': linear.coef_.ravel().tolist(), 'intercepts': linear.intercept_.tolist(), 'targets': 2},
       [linear.predict(rows)])


def kernel(model):
    return {'kernel_type': model.kernel.upper(), 'support_vectors': model.support_vectors_.ravel().tolist(),
            'kernel_params': [float(model._gamma), float(model.coef0), float(model.degree)]}


for name in ['linear', 'rbf', 'poly', 'sigmoid']:
    for y in [y2, y3]:
        for probability in [False, True]:
            model = svm.SVC(kernel=name, gamma=0.3, coef0=0.1, probability=probability, random_state=0,
                            decision_function_shape='ovo').fit(X[:30], y[:30])
            pairs = {'prob_a': model.probA_.tolist(), 'prob_b': model.probB_.tolist()} if probability else {}
            if probability:
                scores = model.predict_proba(rows)
            elif y is y3:
                scores = model.decision_function(rows)
            else:  # that of class 0 against class 1, as LIBSVM has it
                scores = np.stack([model.decision_function(rows), -model.decision_function(rows)], 1)
            record(f'support vectors, {name}, {len(model.classes_)} classes{", probabilities" if probability else ""}',
                   'SVMClassifier', {**kernel(model), **pairs, 'coefficients': model._dual_coef_.ravel().tolist(),
                                     'rho': model._intercept_.tolist(), 'vectors_per_class': model.n_support_.tolist(),
                                     'classlabels_ints': model.classes_.tolist()}, [model.predict(rows), scores])
    model = svm.SVR(kernel=name, gamma=0.3).fit(X[:30], yr[:30])
    record(f'support vectors, {name}, regression', 'SVMRegressor',
           {**kernel(model), 'coefficients': model.dual_coef_.ravel().tolist(), 'rho': model.intercept_.tolist(),
            'n_supports': len(model.support_)}, [model.predict(rows).reshape(-1, 1)])
model = svm.OneClassSVM(gamma=0.3, nu=0.3).fit(X[:30])
record('support vectors, one class', 'SVMRegressor',
       {**kernel(model), 'one_class': 1, 'coefficients': model.dual_coef_.ravel().tolist(),
        'rho': model.intercept_.tolist(), 'n_supports': len(model.support_)}, [model.predict(rows).reshape(-1, 1)])

# ------------------------------------------------------------------------------------- features

scaler = preprocessing.StandardScaler().fit(X)
record('standard scaler', 'Scaler', {'offset': scaler.mean_.tolist(), 'scale': (1 / scaler.scale_).tolist()},
       [scaler.transform(rows)])
for norm in ['l1', 'l2']:
    record(f'normalizer {norm}', 'Normalizer', {'norm': norm.upper()}, [preprocessing.Normalizer(norm).transform(rows)])
record('binarizer', 'Binarizer', {'threshold': 0.5}, [preprocessing.Binarizer(threshold=0.5).transform(rows)])
imputer = SimpleImputer().fit(holes)
record('imputer', 'Imputer', {'imputed_value_floats': imputer.statistics_.tolist(), 'replaced_value_float': float('nan')},
       [imputer.transform(holes[:12])], holes[:12])


def plain(value):
    """Seven digits, and NaN as text, which JSON lacks."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (float, np.floating)):
        return 'NaN' if np.isnan(value) else float(f'{value:.7g}') if not np.float32(value) == value else float(value)
    return value


lines = ',\n'.join(f'  {json.dumps(plain(case))}' for case in cases)
pathlib.Path(__file__).with_name('onnx-ml-fitted.json').write_text(f'[\n{lines}\n]\n')
