"""Tests of control flow share programs that are read twice."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
