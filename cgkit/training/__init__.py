"""Training: a network learns from examples, is interrupted, and goes on as if it had not been.

    train(model, data, epochs=20, checkpoint="run.npz", tell=show)

    numbers ─┐                                       numbers, at the end of each epoch:
    batch   ─┼─ learn ─> new numbers, loss           measured on data kept apart, and saved
    key     ─┘

A step is a pure function of the numbers, a batch and a key, so what is saved between two steps is
whole whenever one stops, and a resumed training gives the same numbers to the last bit. What may be
replaced is an argument: the model, the data, the optimizer, the loss.

    recipe      what decides the numbers, told apart in checkpoints
    step        learn, measure
    checkpoint  where a training stands, in a file
    loop        train
    models      two small networks for images

All of it written out, as one writes it first:

>>> import numpy as np
>>> from cgkit import Generator, data, grad, nn, no_grad, ops
>>> from cgkit.optimizers import Adam
>>> def learn(model, examples, generator, epochs):
...     weights, rule = model.parameters(), Adam(0.01)
...     states = rule.initial_all(weights)
...     for epoch in range(epochs):
...         order = ops.permutation(generator.key(), size=len(examples))
...         for places in np.array_split(order, 45):
...             batch = examples.take(places)
...             loss = ops.cross_entropy(model(batch.images), batch.labels)
...             slopes = grad(loss, weights)
...             with no_grad():
...                 new, states = rule.update_all(weights, slopes, states)
...                 for weight, value in zip(weights, new, strict=True):
...                     weight.copy_(value)
>>> digits, generator = data.digits(), Generator(0)
>>> model = nn.Sequential(
...     nn.Flatten(), nn.Linear(64, 32, generator), nn.ReLU(), nn.Linear(32, 10, generator)
... )
>>> learn(model, digits.train, generator, epochs=5)
>>> right = model(digits.test.images).argmax(axis=1).numpy() == digits.test.labels
>>> bool(right.mean() > 0.9)
True
"""

from __future__ import annotations

from cgkit.training.checkpoint import read_checkpoint
from cgkit.training.loop import Told, train
from cgkit.training.models import cnn, mlp
from cgkit.training.recipe import Recipe
from cgkit.training.step import Epoch, Numbers, Standing, learn, measure

__all__ = [
    "Epoch", "Numbers", "Recipe", "Standing", "Told", "cnn", "learn", "measure", "mlp",
    "read_checkpoint", "train",
]  # fmt: skip
