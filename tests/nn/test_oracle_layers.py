"""Every layer equals torch's with the same numbers: results, gradients, running statistics.

torch's layer ─ its numbers ─> ours;  x ─┬─ ours ──> y, gradients of x and of all parameters
                                         └─ torch ─> the same
"""

import numpy as np
import pytest

from cgkit import Generator, Tensor, nn, no_grad, ops

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.oracle
TOLERANCE = {"float64": (1e-9, 1e-11), "float32": (1e-4, 1e-5)}
RENAMED = {
    nn.BatchNorm1d: {"weight": "scale", "bias": "shift"},
    nn.BatchNorm2d: {"weight": "scale", "bias": "shift"},
    nn.LayerNorm: {"weight": "scale", "bias": "shift"},
    nn.GroupNorm: {"weight": "scale", "bias": "shift"},
    nn.RMSNorm: {"weight": "scale"},
}


def ours_of(theirs, ours):
    """Give the numbers of a torch layer by our names, and how to turn a gradient of theirs."""
    names = RENAMED.get(type(ours), {})
    found = {}
    for name, x in [*theirs.named_parameters(), *theirs.named_buffers()]:
        if name != "num_batches_tracked":
            found[names.get(name, name)] = x
    return found


def turned(ours, name, array):
    return array.T if isinstance(ours, nn.Linear) and name == "weight" else array


def load(ours, theirs):
    with torch.no_grad():
        for parameter in theirs.parameters():  # also those that begin with 0 or 1
            parameter.add_(torch.randn_like(parameter) * 0.3)
    state = {
        name: turned(ours, name, x.detach().numpy()) for name, x in ours_of(theirs, ours).items()
    }
    ours.load_state(state)


def compare(a, b, dtype):
    rtol, atol = TOLERANCE[dtype]
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=atol)


def check(ours, theirs, x, dtype, again=3):
    """Compare several calls while training, then one in use, then the state."""
    load(ours, theirs)
    for _ in range(again):
        compare_call(ours, theirs, x, dtype)
        x = x + 0.5 if x.dtype.kind == "f" else x
    compare_call(ours.eval(), theirs.eval(), x, dtype)
    with no_grad():
        assert not ours(Tensor(x)).requires_grad
    for name, theirs_x in ours_of(theirs, ours).items():
        compare(turned(ours, name, theirs_x.detach().numpy()), ours.state()[name], dtype)


def compare_call(ours, theirs, x, dtype):
    floating = x.dtype.kind == "f"
    a = Tensor(x, requires_grad=floating)
    b = torch.tensor(x, requires_grad=floating)
    y, z = ours(a), theirs(b)
    assert y.dtype == str(z.dtype).removeprefix("torch.")
    compare(y.data, z.detach(), dtype)
    seed = np.random.default_rng(7).normal(size=y.shape).astype(dtype)
    if not y.requires_grad:
        assert not z.requires_grad
        return
    for parameter in ours.parameters():
        parameter.grad = None
    theirs.zero_grad()
    y.backward(seed)
    z.backward(torch.tensor(seed))
    if floating:
        compare(a.grad.data, b.grad, dtype)
    slopes = {name: p.grad for name, p in ours.named_parameters().items()}
    for name, parameter in ours_of(theirs, ours).items():
        if parameter.requires_grad:
            compare(slopes[name].data, turned(ours, name, parameter.grad.numpy()), dtype)


G = Generator(0)
CASES = {
    "linear": (lambda d: nn.Linear(3, 4, G, dtype=d), lambda: torch.nn.Linear(3, 4), (5, 3)),
    "linear without bias": (
        lambda d: nn.Linear(3, 4, G, bias=False, dtype=d),
        lambda: torch.nn.Linear(3, 4, bias=False),
        (2, 5, 3),
    ),
    "linear of a vector": (
        lambda d: nn.Linear(3, 4, G, dtype=d), lambda: torch.nn.Linear(3, 4), (3,),
    ),
    "linear of nothing": (
        lambda d: nn.Linear(3, 4, G, dtype=d), lambda: torch.nn.Linear(3, 4), (0, 3),
    ),
    "conv1d": (
        lambda d: nn.Conv1d(4, 6, 3, G, stride=2, padding=1, dilation=2, groups=2, dtype=d),
        lambda: torch.nn.Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2),
        (2, 4, 9),
    ),
    "conv2d": (
        lambda d: nn.Conv2d(3, 5, 3, G, dtype=d), lambda: torch.nn.Conv2d(3, 5, 3), (2, 3, 6, 7),
    ),
    "conv2d settings": (
        lambda d: nn.Conv2d(4, 4, (3, 2), G, stride=(2, 1), padding=(1, 0), dilation=(1, 2),
                            groups=4, bias=False, dtype=d),
        lambda: torch.nn.Conv2d(4, 4, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2),
                                groups=4, bias=False),
        (2, 4, 6, 7),
    ),
    "conv2d same": (
        lambda d: nn.Conv2d(2, 3, (5, 3), G, padding="same", dilation=(1, 2), dtype=d),
        lambda: torch.nn.Conv2d(2, 3, (5, 3), padding="same", dilation=(1, 2)),
        (1, 2, 5, 6),
    ),
    "conv2d of nothing": (
        lambda d: nn.Conv2d(3, 5, 3, G, dtype=d), lambda: torch.nn.Conv2d(3, 5, 3), (0, 3, 6, 7),
    ),
    "conv3d": (
        lambda d: nn.Conv3d(2, 3, 2, G, stride=2, padding=1, dtype=d),
        lambda: torch.nn.Conv3d(2, 3, 2, stride=2, padding=1),
        (2, 2, 4, 3, 5),
    ),
    "conv2d transposed": (
        lambda d: nn.ConvTranspose2d(4, 6, 3, G, stride=2, padding=1, output_padding=1, groups=2,
                                     dtype=d),
        lambda: torch.nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2),
        (2, 4, 3, 4),
    ),
    "conv2d transposed, dilated": (
        lambda d: nn.ConvTranspose2d(2, 3, (2, 3), G, dilation=2, bias=False, dtype=d),
        lambda: torch.nn.ConvTranspose2d(2, 3, (2, 3), dilation=2, bias=False),
        (1, 2, 3, 4),
    ),
    "batchnorm1d": (lambda d: nn.BatchNorm1d(3, dtype=d), lambda: torch.nn.BatchNorm1d(3), (5, 3)),
    "batchnorm1d sequences": (
        lambda d: nn.BatchNorm1d(3, momentum=0.3, epsilon=1e-3, dtype=d),
        lambda: torch.nn.BatchNorm1d(3, momentum=0.3, eps=1e-3),
        (2, 3, 4),
    ),
    "batchnorm2d": (
        lambda d: nn.BatchNorm2d(3, dtype=d), lambda: torch.nn.BatchNorm2d(3), (4, 3, 2, 5),
    ),
    "batchnorm2d plain": (
        lambda d: nn.BatchNorm2d(3, affine=False, dtype=d),
        lambda: torch.nn.BatchNorm2d(3, affine=False),
        (4, 3, 2, 5),
    ),
    "batchnorm2d of nothing": (
        lambda d: nn.BatchNorm2d(3, dtype=d), lambda: torch.nn.BatchNorm2d(3), (0, 3, 2, 5),
    ),
    "layernorm": (lambda d: nn.LayerNorm(5, dtype=d), lambda: torch.nn.LayerNorm(5), (2, 3, 5)),
    "layernorm of two axes": (
        lambda d: nn.LayerNorm((3, 5), epsilon=1e-2, dtype=d),
        lambda: torch.nn.LayerNorm((3, 5), eps=1e-2),
        (2, 3, 5),
    ),
    "layernorm plain": (
        lambda d: nn.LayerNorm(5, affine=False, dtype=d),
        lambda: torch.nn.LayerNorm(5, elementwise_affine=False),
        (2, 3, 5),
    ),
    "groupnorm": (
        lambda d: nn.GroupNorm(2, 6, dtype=d), lambda: torch.nn.GroupNorm(2, 6), (2, 6, 3, 2),
    ),
    "groupnorm plain": (
        lambda d: nn.GroupNorm(3, 6, affine=False, dtype=d),
        lambda: torch.nn.GroupNorm(3, 6, affine=False),
        (2, 6, 4),
    ),
    "rmsnorm": (
        lambda d: nn.RMSNorm(5, epsilon=1e-3, dtype=d),
        lambda: torch.nn.RMSNorm(5, eps=1e-3),
        (2, 3, 5),
    ),
    "relu": (lambda d: nn.ReLU(), torch.nn.ReLU, (3, 4)),
    "leaky relu": (lambda d: nn.LeakyReLU(0.2), lambda: torch.nn.LeakyReLU(0.2), (3, 4)),
    "elu": (lambda d: nn.ELU(1.5), lambda: torch.nn.ELU(1.5), (3, 4)),
    "gelu": (lambda d: nn.GELU(), torch.nn.GELU, (3, 4)),
    "gelu tanh": (lambda d: nn.GELU("tanh"), lambda: torch.nn.GELU("tanh"), (3, 4)),
    "silu": (lambda d: nn.SiLU(), torch.nn.SiLU, (3, 4)),
    "sigmoid": (lambda d: nn.Sigmoid(), torch.nn.Sigmoid, (3, 4)),
    "tanh": (lambda d: nn.Tanh(), torch.nn.Tanh, (3, 4)),
    "softplus": (lambda d: nn.Softplus(), torch.nn.Softplus, (3, 4)),
    "softmax": (lambda d: nn.Softmax(), lambda: torch.nn.Softmax(-1), (3, 4)),
    "log softmax": (lambda d: nn.LogSoftmax(0), lambda: torch.nn.LogSoftmax(0), (3, 4)),
    "flatten": (lambda d: nn.Flatten(), torch.nn.Flatten, (2, 3, 4)),
    "max pool": (lambda d: nn.MaxPool2d(2), lambda: torch.nn.MaxPool2d(2), (2, 3, 5, 4)),
    "max pool settings": (
        lambda d: nn.MaxPool2d((3, 2), stride=(2, 1), padding=1, dilation=1, ceil_mode=True),
        lambda: torch.nn.MaxPool2d((3, 2), stride=(2, 1), padding=1, dilation=1, ceil_mode=True),
        (2, 3, 6, 5),
    ),
    "avg pool": (lambda d: nn.AvgPool2d(2), lambda: torch.nn.AvgPool2d(2), (2, 3, 5, 4)),
    "avg pool settings": (
        lambda d: nn.AvgPool2d(3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
        lambda: torch.nn.AvgPool2d(3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
        (2, 3, 6, 5),
    ),
}  # fmt: skip


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("case", CASES)
def test_a_layer(case, dtype):
    torch.manual_seed(0)
    ours, theirs, shape = CASES[case]
    x = np.random.default_rng(1).normal(size=shape).astype(dtype)
    made = theirs().to(getattr(torch, dtype))
    layer = ours(dtype)
    check(layer, made, x, dtype)
    assert {str(a.dtype) for a in layer.state().values()} <= {dtype}


@pytest.mark.parametrize("padding", [None, 0, 5])
def test_embedding(padding):
    torch.manual_seed(0)
    ours = nn.Embedding(6, 3, G, padding=padding)
    theirs = torch.nn.Embedding(6, 3, padding_idx=padding)
    check(ours, theirs, np.array([[1, 5, 1], [0, 0, 3]]), "float32")
    check(ours, theirs, np.zeros((0, 2), "int64"), "float32")


def test_statistics_of_the_dtype_of_the_layer_for_other_inputs():
    ours, theirs = nn.BatchNorm1d(3), torch.nn.BatchNorm1d(3)
    x = np.random.default_rng(0).normal(size=(6, 3)).astype("float32")
    for _ in range(3):
        ours(Tensor(x.astype("float64")))
        theirs(torch.tensor(x))
    assert ours.running_mean.dtype == ours.running_var.dtype == np.float32
    np.testing.assert_allclose(ours.running_mean.data, theirs.running_mean, rtol=1e-5)
    np.testing.assert_allclose(ours.running_var.data, theirs.running_var, rtol=1e-5)


def test_first_values_lie_between_the_bounds_of_torch():
    for ours, theirs in (
        (nn.Linear(30, 200, G), torch.nn.Linear(30, 200)),
        (nn.Conv2d(8, 64, 3, G, groups=2), torch.nn.Conv2d(8, 64, 3, groups=2)),
        (nn.ConvTranspose2d(8, 64, 3, G), torch.nn.ConvTranspose2d(8, 64, 3)),
        (nn.GRUCell(5, 100, G).hidden, None),
    ):
        bounds = {name: abs(x).max() for name, x in ours.state().items()}
        if theirs is None:
            theirs = torch.nn.GRUCell(5, 100)
            wanted = {"weight": theirs.weight_hh, "bias": theirs.bias_hh}
        else:
            wanted = dict(theirs.named_parameters())
        for name, bound in bounds.items():
            assert bound == pytest.approx(float(wanted[name].detach().abs().max()), rel=0.06), name


MASKS = {
    "none": {},
    "causal": {"causal": True},
    "present": {"present": True},
    "mask": {"mask": True},
    "all": {"causal": True, "present": True, "mask": True},
    "added": {"added": True},
}


def masks_of(wanted, n, length):
    """Give masks in our words and in torch's, where True means to look away."""
    rng = np.random.default_rng(3)
    ours, theirs, hidden = {}, {}, np.zeros((length, length), bool)
    if "causal" in wanted:
        ours["causal"] = True
        hidden |= ~np.tri(length, dtype=bool)
    if "mask" in wanted:
        mask = (rng.uniform(size=(length, length)) < 0.7) | np.eye(length, dtype=bool)
        ours["mask"] = mask
        hidden |= ~mask
    if "present" in wanted:
        present = rng.uniform(size=(n, length)) < 0.8
        present[:, 0] = True  # under a causal mask the first may look nowhere else
        ours["present"] = present
        theirs["key_padding_mask"] = torch.tensor(~present)
    if "added" in wanted:
        added = rng.normal(size=(length, length))
        return {"mask": added}, {"attn_mask": torch.tensor(added)}
    if hidden.any():
        theirs["attn_mask"] = torch.tensor(hidden)
    return ours, theirs


def attention_state(theirs):
    parts = np.split(theirs.in_proj_weight.detach().numpy(), 3)
    state = {f"{n}.weight": w.T for n, w in zip(("queries", "keys", "values"), parts, strict=True)}
    state["output.weight"] = theirs.out_proj.weight.detach().numpy().T
    if theirs.in_proj_bias is not None:
        biases = np.split(theirs.in_proj_bias.detach().numpy(), 3)
        state |= {
            f"{n}.bias": b for n, b in zip(("queries", "keys", "values"), biases, strict=True)
        }
        state["output.bias"] = theirs.out_proj.bias.detach().numpy()
    return state


@pytest.mark.parametrize("masks", MASKS)
@pytest.mark.parametrize("bias", [True, False])
def test_attention(masks, bias):
    torch.manual_seed(0)
    n, length, size, heads = 3, 5, 8, 2
    ours = nn.MultiHeadAttention(size, heads, G, bias=bias, dtype="float64")
    theirs = torch.nn.MultiheadAttention(size, heads, bias=bias, batch_first=True).double()
    if bias:
        torch.nn.init.normal_(theirs.in_proj_bias)
        torch.nn.init.normal_(theirs.out_proj.bias)
    ours.load_state(attention_state(theirs))
    x = np.random.default_rng(1).normal(size=(n, length, size))
    a, b = Tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    mine, others = masks_of(MASKS[masks], n, length)
    y, z = ours(a, **mine), theirs(b, b, b, need_weights=False, **others)[0]
    compare(y.data, z.detach(), "float64")
    seed = np.random.default_rng(7).normal(size=y.shape)
    y.backward(seed)
    z.backward(torch.tensor(seed))
    compare(a.grad.data, b.grad, "float64")
    theirs.in_proj_weight.data = theirs.in_proj_weight.grad
    theirs.out_proj.weight.data = theirs.out_proj.weight.grad
    if bias:
        theirs.in_proj_bias.data = theirs.in_proj_bias.grad
        theirs.out_proj.bias.data = theirs.out_proj.bias.grad
    for name, slope in attention_state(theirs).items():
        compare(ours.named_parameters()[name].grad.data, slope, "float64")


def test_attention_to_another_sequence():
    theirs = torch.nn.MultiheadAttention(8, 4, batch_first=True).double()
    ours = nn.MultiHeadAttention(8, 4, G, dtype="float64")
    ours.load_state(attention_state(theirs))
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(2, 3, 8)), rng.normal(size=(2, 6, 8)), rng.normal(size=(2, 6, 8))
    z = theirs(torch.tensor(q), torch.tensor(k), torch.tensor(v))[0]
    compare(ours(q, k, v).data, z.detach(), "float64")
    z = theirs(torch.tensor(q[0]), torch.tensor(k[0]), torch.tensor(k[0]))[0]
    compare(ours(q[0], k[0]).data, z.detach(), "float64")


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_a_layer_of_a_transformer(norm_first, activation):
    torch.manual_seed(0)
    ours = nn.TransformerLayer(
        8, 2, 12, G, norm_first=norm_first, activation=getattr(ops, activation), dtype="float64"
    )
    theirs = torch.nn.TransformerEncoderLayer(
        8, 2, 12, dropout=0.0, activation=activation, norm_first=norm_first, batch_first=True
    ).double()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    state = {f"attention.{name}": x for name, x in attention_state(theirs.self_attn).items()}
    for mine, other in (("first", theirs.linear1), ("second", theirs.linear2)):
        state |= {f"{mine}.weight": other.weight.detach().numpy().T}
        state |= {f"{mine}.bias": other.bias.detach().numpy()}
    for i, norm in enumerate((theirs.norm1, theirs.norm2)):
        state |= {f"norms.{i}.scale": norm.weight.detach().numpy()}
        state |= {f"norms.{i}.shift": norm.bias.detach().numpy()}
    ours.load_state(state)
    x = np.random.default_rng(0).normal(size=(3, 4, 8))
    a, b = Tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    y = ours(a, causal=True)
    z = theirs(b, src_mask=torch.tensor(~np.tri(4, dtype=bool)))
    compare(y.data, z.detach(), "float64")
    y.square().sum().backward()
    z.square().sum().backward()
    compare(a.grad.data, b.grad, "float64")
    slopes = {name: p.grad.data for name, p in ours.named_parameters().items()}
    compare(slopes["first.weight"], theirs.linear1.weight.grad.T, "float64")
    compare(slopes["norms.1.scale"], theirs.norm2.weight.grad, "float64")
