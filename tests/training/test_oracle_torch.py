"""The same network, the same batches, the same settings in torch: the same curve."""

import numpy as np
import pytest

from cgkit import data, nn, ops
from cgkit.optimizers import SGD, Adam, AdamW, RMSProp
from cgkit.tensor import Generator
from cgkit.training import Recipe, cnn, learn, mlp
from cgkit.training.step import beginning

RULES = {
    "sgd": (SGD(0.1, momentum=0.9, nesterov=True), "SGD", {"momentum": 0.9, "nesterov": True}),
    "rmsprop": (RMSProp(0.003), "RMSprop", {}),
    "adam": (Adam(0.003), "Adam", {}),
    "adamw": (AdamW(0.003, weight_decay=0.1, amsgrad=True), "AdamW",
              {"weight_decay": 0.1, "amsgrad": True}),
}  # fmt: skip


def theirs_of(model):
    """Build the same layers with the same numbers in torch, which keeps weights turned round."""
    import torch

    layers = []
    for layer in model:
        if isinstance(layer, nn.Linear):
            made = torch.nn.Linear(*layer.weight.shape)
            made.weight.data = torch.tensor(layer.weight.data.T.copy())
            made.bias.data = torch.tensor(layer.bias.data)
        elif isinstance(layer, nn.Conv2d):
            outputs, inputs, *kernel = layer.weight.shape
            made = torch.nn.Conv2d(inputs, outputs, kernel, padding=1)
            made.weight.data = torch.tensor(layer.weight.data)
            made.bias.data = torch.tensor(layer.bias.data)
        elif isinstance(layer, nn.MaxPool2d):
            made = torch.nn.MaxPool2d(2)
        else:
            made = torch.nn.ReLU() if isinstance(layer, nn.ReLU) else torch.nn.Flatten()
        layers.append(made)
    return torch.nn.Sequential(*layers)


@pytest.mark.oracle
@pytest.mark.parametrize("make", [mlp, cnn])
@pytest.mark.parametrize(("rule", "name", "settings"), RULES.values(), ids=RULES.keys())
def test_the_same_curve(make, rule, name, settings):
    import torch

    digits = data.digits()
    model = make(digits, Generator(0))
    twin = theirs_of(model)
    optimizer = getattr(torch.optim, name)(twin.parameters(), lr=rule.learning_rate, **settings)
    recipe = Recipe(digits, rule, clip=5.0)
    numbers = beginning(model, recipe).numbers
    order = ops.permutation(ops.key(0), size=len(digits.train))
    ours, theirs = [], []
    for start in range(0, 1280, 32):
        batch = digits.train.take(order[start : start + 32])
        numbers, loss, _ = learn(model, recipe, numbers, batch, ops.key(start))
        ours.append(loss)
        scores = twin(torch.tensor(batch.images))
        wanted = torch.nn.functional.cross_entropy(scores, torch.tensor(batch.labels))
        optimizer.zero_grad()
        wanted.backward()
        torch.nn.utils.clip_grad_norm_(twin.parameters(), 5.0)
        optimizer.step()
        theirs.append(wanted.item())
    assert ours[-1] < ours[0] - 0.4
    # one rounding more or less at a step grows with the steps
    np.testing.assert_allclose(ours, theirs, rtol=2e-2, atol=2e-3)
    np.testing.assert_allclose(ours[:10], theirs[:10], rtol=1e-4)
