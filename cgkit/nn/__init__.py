"""Layers: functions with numbers that are learned, made of the operators.

    generator = Generator(0)                               the same seed, the same network
    model = nn.Sequential(nn.Linear(784, 256, generator), nn.ReLU(), nn.Linear(256, 10, generator))
    loss = ops.cross_entropy(model(x), labels)             losses are functions, among the operators
    loss.backward()
    model.state()  model.load_state(saved)                 numbers by name
    nn.functional(model, state, x)                         the same layers, other numbers, no effect

One text serves eagerly on Tensors, while a function is traced, and in a GraphBuilder. Layers that
draw at each call (Dropout) take a key: `model(x, key=generator.key())`.

    members  <  outline, fitting  <  calling  <  module  <  reading
    initial, module  <  linear, convolution, normalization, pooling, activation, sequential
    these  <  cells, attention  <  recurrent
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
from cgkit.nn.attention import MultiHeadAttention, TransformerLayer
from cgkit.nn.cells import GRUCell, LSTMCell, RNNCell
from cgkit.nn.convolution import Conv1d, Conv2d, Conv3d, ConvTranspose2d
from cgkit.nn.linear import Embedding, Linear
from cgkit.nn.module import Module, subkey
from cgkit.nn.normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, RMSNorm
from cgkit.nn.pooling import AvgPool2d, MaxPool2d
from cgkit.nn.reading import functional
from cgkit.nn.recurrent import GRU, LSTM, RNN
from cgkit.nn.sequential import Dropout, Flatten, Sequential

__all__ = [
    "ELU", "GELU", "GRU", "LSTM", "RNN", "AvgPool2d", "BatchNorm1d", "BatchNorm2d", "Conv1d",
    "Conv2d", "Conv3d", "ConvTranspose2d", "Dropout", "Embedding", "Flatten", "GRUCell",
    "GroupNorm", "LSTMCell", "LayerNorm", "LeakyReLU", "Linear", "LogSoftmax", "MaxPool2d",
    "Module", "MultiHeadAttention", "RMSNorm", "RNNCell", "ReLU", "Sequential", "SiLU", "Sigmoid",
    "Softmax", "Softplus", "Tanh", "TransformerLayer", "functional", "subkey",
]  # fmt: skip
