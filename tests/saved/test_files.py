"""States as files: the way there and back; save, load and graphs go it too."""

import numpy as np
import pytest

from cgkit.errors import FileError
from cgkit.saved.files import read, write


def test_there_and_back(tmp_path):
    write(tmp_path / "run.npz", {"w": [np.arange(3.0)], "epoch": 3})
    found = read(str(tmp_path / "run.npz"))
    assert found["w"][0].tolist() == [0, 1, 2]
    assert found["epoch"] == 3
    with pytest.raises(FileError, match="no such file"):
        read(tmp_path / "other.npz")
