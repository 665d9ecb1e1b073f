# Writes penguins-forest.json: boosted trees of XGBoost that tell three species of penguins apart. The rows are drawn here, around
# means and deviations like those of the species; some values are missing.
#
#   python3 examples/models/penguins-forest.py
import os

import numpy as np
import xgboost as xgb

COLUMNS = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
SPECIES = {  # mean and deviation of each column
    "Adelie": ([38.8, 18.3, 190, 3700], [2.7, 1.2, 6.5, 460]),
    "Chinstrap": ([48.8, 18.4, 196, 3730], [3.3, 1.1, 7.1, 380]),
    "Gentoo": ([47.5, 15.0, 217, 5080], [3.1, 1.0, 6.5, 500]),
}

random = np.random.default_rng(1)
rows = np.concatenate([random.normal(mean, deviation, (150, 4)) for mean, deviation in SPECIES.values()]).round(1)
rows[random.random(rows.shape) < 0.05] = np.nan
train = xgb.DMatrix(rows, label=np.repeat(np.arange(3), 150), feature_names=COLUMNS)
params = {"objective": "multi:softprob", "num_class": 3, "max_depth": 2, "eta": 0.5}
xgb.train(params, train, 6).save_model(os.path.join(os.path.dirname(__file__), "penguins-forest.json"))
