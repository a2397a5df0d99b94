"""All kinds of settings, each with the torch optimizer that should do the same."""

import pytest

from cgkit.optimizers import SGD, Adam, AdamW, RMSProp

EVERY = {
    "plain": (SGD(0.1), "SGD", {"lr": 0.1}),
    "decay": (
        SGD(0.1, weight_decay=0.3, maximize=True),
        "SGD",
        {"lr": 0.1, "weight_decay": 0.3, "maximize": True},
    ),
    "momentum": (SGD(0.05, momentum=0.9), "SGD", {"lr": 0.05, "momentum": 0.9}),
    "dampening": (
        SGD(0.05, momentum=0.8, dampening=0.5),
        "SGD",
        {"lr": 0.05, "momentum": 0.8, "dampening": 0.5},
    ),
    "nesterov": (
        SGD(0.05, momentum=0.7, nesterov=True, weight_decay=0.1),
        "SGD",
        {"lr": 0.05, "momentum": 0.7, "nesterov": True, "weight_decay": 0.1},
    ),
    "rmsprop": (RMSProp(), "RMSprop", {}),
    "rmsprop momentum": (
        RMSProp(0.02, decay=0.9, momentum=0.5, epsilon=1e-6, weight_decay=0.1),
        "RMSprop",
        {"lr": 0.02, "alpha": 0.9, "momentum": 0.5, "eps": 1e-6, "weight_decay": 0.1},
    ),
    "rmsprop centered": (
        RMSProp(0.02, decay=0.9, centered=True, momentum=0.3, maximize=True),
        "RMSprop",
        {"lr": 0.02, "alpha": 0.9, "centered": True, "momentum": 0.3, "maximize": True},
    ),
    "adam": (Adam(), "Adam", {}),
    "adam decay": (
        Adam(0.05, betas=(0.6, 0.9), epsilon=1e-4, weight_decay=0.2),
        "Adam",
        {"lr": 0.05, "betas": (0.6, 0.9), "eps": 1e-4, "weight_decay": 0.2},
    ),
    "adam largest": (
        Adam(0.05, betas=(0.3, 0.5), amsgrad=True, maximize=True),
        "Adam",
        {"lr": 0.05, "betas": (0.3, 0.5), "amsgrad": True, "maximize": True},
    ),
    "adamw": (AdamW(), "AdamW", {}),
    "adamw largest": (
        AdamW(0.05, weight_decay=0.5, amsgrad=True),
        "AdamW",
        {"lr": 0.05, "weight_decay": 0.5, "amsgrad": True},
    ),
    "adamw without": (AdamW(0.05, weight_decay=0.0), "Adam", {"lr": 0.05}),
}


@pytest.fixture(params=EVERY.values(), ids=EVERY.keys())
def every(request):
    """Settings, the name of torch's class, and its settings."""
    return request.param


@pytest.fixture
def settings(every):
    """Settings alone."""
    return every[0]
