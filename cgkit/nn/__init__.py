"""Layers: functions with numbers that are learned, made of the operators.

    generator = Generator(0)                               the same seed, the same network
    model = nn.Sequential(nn.Linear(784, 256, generator), nn.ReLU(), nn.Linear(256, 10, generator))
    loss = ops.cross_entropy(model(x), labels)             losses are functions, among the operators
    loss.backward()
    model.state()  model.load_state(saved)                 numbers by name
    nn.functional(model, state, x)                         the same layers, other numbers, no effect

One text serves eagerly on Tensors, while a function is traced, and in a GraphBuilder. Layers that
draw at each call (Dropout) take a key: `model(x, key=generator.key())`.

    members  <  outline, fitting  <  module  <  reading
                                     module  <  initial  <  linear, convolution
                                     module  <  activation, sequential
"""

from cgkit.nn.activation import (
    ELU,
    GELU,
    LeakyReLU,
    LogSoftmax,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from cgkit.nn.convolution import Conv1d, Conv2d, Conv3d, ConvTranspose2d
from cgkit.nn.linear import Embedding, Linear
from cgkit.nn.module import Module, subkey
from cgkit.nn.reading import functional
from cgkit.nn.sequential import Dropout, Flatten, Sequential

__all__ = [
    "ELU", "GELU", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d", "Dropout", "Embedding",
    "Flatten", "LeakyReLU", "Linear", "LogSoftmax", "Module", "ReLU", "Sequential",
    "SiLU", "Sigmoid", "Softmax", "Softplus", "Tanh", "functional", "subkey",
]  # fmt: skip
