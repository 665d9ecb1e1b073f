"""Symbolic regression in DEAP as its documentation has it: trees of deap.gp, compiled to functions of NumPy arrays.

Each generation is made of children of tournament winners, by crossover or by mutation, as many as the population has, so
that trees which are evaluated can be counted; sizes are limited, the best tree stays.
"""
import random

import numpy as np
from deap import algorithms, base, creator, gp, tools

MOST_TOKENS = 25
TOURNAMENT = 4
CROSSOVER, MUTATION = 0.8, 0.2
CONSTANTS = 5


def constant():
    return random.uniform(-CONSTANTS, CONSTANTS)


def make_toolbox(columns, target):
    primitives = gp.PrimitiveSet("MAIN", len(columns))
    for function in (np.add, np.subtract, np.multiply, np.divide):
        primitives.addPrimitive(function, 2)
    for function in (np.sin, np.cos, np.exp, np.log):
        primitives.addPrimitive(function, 1)
    primitives.addEphemeralConstant("constant", constant)
    creator.create("Fitness", base.Fitness, weights=(-1.0,))
    creator.create("Tree", gp.PrimitiveTree, fitness=creator.Fitness)
    toolbox = base.Toolbox()
    toolbox.register("grow", gp.genHalfAndHalf, pset=primitives, min_=1, max_=2)
    toolbox.register("individual", tools.initIterate, creator.Tree, toolbox.grow)
    toolbox.register("population", tools.initRepeat, list, toolbox.individual)

    def loss(tree):
        values = gp.compile(tree, primitives)(*columns)
        found = np.mean((values - target) ** 2)
        return (found if found == found else np.inf,)

    toolbox.register("evaluate", loss)
    toolbox.register("select", tools.selTournament, tournsize=TOURNAMENT)
    toolbox.register("mate", gp.cxOnePoint)
    toolbox.register("mutant", gp.genFull, min_=0, max_=2)
    toolbox.register("mutate", gp.mutUniform, expr=toolbox.mutant, pset=primitives)
    for name in ("mate", "mutate"):
        toolbox.decorate(name, gp.staticLimit(key=len, max_value=MOST_TOKENS))
    return toolbox


def search(toolbox, size, generations):
    """The least loss of (generations + 1) * size trees."""
    population = toolbox.population(size)
    best = tools.HallOfFame(1)
    with np.errstate(all="ignore"):
        for generation in range(generations + 1):
            if generation > 0:
                parents = toolbox.select(population, size) + list(best)
                population = algorithms.varOr(parents, toolbox, size, CROSSOVER, MUTATION)
            for tree in population:
                tree.fitness.values = toolbox.evaluate(tree)
            best.update(population)
    return best[0].fitness.values[0]
