"""The rows of `cgkit bench`: each is one definition, in the file of its subject.

    eager        what one small step costs when nothing is known beforehand
    ordering     an order of the nodes of a large graph
    importing    what `import cgkit` costs beside `import numpy`

A new row is a `Row` in one of these files, or in a new file that is named here.
"""

from cgkit.bench.row import Row
from cgkit.bench.rows import eager, importing, ordering

ROWS: tuple[Row, ...] = (*eager.ROWS, *ordering.ROWS, *importing.ROWS)

__all__ = ["ROWS"]
