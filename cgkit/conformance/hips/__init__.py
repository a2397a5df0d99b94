"""autograd's interface, by cgkit: enough of it that the tests of HIPS autograd 1.9.1 run.

    import autograd.numpy as np     ─ shim ─>  numpy's functions, or cgkit's where a Tensor is given
    from autograd import grad       ─ shim ─>  functions.grad, which goes backward with cgkit

    nested  <  tracing  <  spaces  <  functions  <  primitives, checking
    numpy_shapes  <  numpy_calls                 <  shim                source  <  suite

Nothing of autograd is used or kept: its tests are fetched when a person asks for them, and live in
build/.
"""
