"""Images to learn from: a small set that is part of cgkit, and a large one that can be fetched.

    digits()   1,797 images of 8 by 8 pixels, in cgkit itself
    mnist()    70,000 images of 28 by 28 pixels, from files that you fetch once

    dataset ─┬─ train ─ images (n, 1, height, width), labels (n,)
             └─ test    the same, kept apart to measure with

Nothing here uses the network. Images are float32 from 0 to 1 with an axis for channels, as
convolutions want them; labels are int64.

>>> from cgkit import data
>>> data.digits()
Dataset(digits: 1,437 to train, 360 to test, 1x8x8, 10 classes)
"""

from __future__ import annotations

from cgkit.data.dataset import Dataset, Examples
from cgkit.data.mnist_files import mnist
from cgkit.data.uci_digits import digits

__all__ = ["Dataset", "Examples", "digits", "mnist"]
