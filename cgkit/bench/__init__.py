"""Measure speed beside others: the same work, the same inputs, the same threads, at the same time.

    Row ─ cases ─> Case ─ measure ─> Outcome ─ lines ─> ratio = a peer's time / ours
                            │
                            ├─ a process for each peer: open, give outputs, find how many calls
                            ├─ outputs compared: where they differ, nothing is timed
                            └─ rounds in turn: A B C  A B C  A B C ...

    row  <  agreement  <  rows;  protocol  <  worker, process  <  measure;  timing  <  table
    machine: what of it bears on a time

A row is one definition in `cgkit/bench/rows/`: what is measured, which peers do it how, in which
sizes, and when outputs are equal. Nothing else knows a row. Times are told, never judged.
"""

from cgkit.bench.measure import Outcome, Settings, measure
from cgkit.bench.row import Case, Peer, Row, Work

__all__ = ["Case", "Outcome", "Peer", "Row", "Settings", "Work", "measure"]
