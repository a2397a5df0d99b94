"""Run a notebook in a kernel of its own, with an end in sight.

    notebook ──► kernel ──► outputs, cell by cell
                   │ a cell runs too long:  interrupt, note it, go on with the next
                   │ it ignores that:       the end, the rest stays unrun
                   └ the kernel dies:       note it, the rest stays unrun

- The notebook given is never changed; a copy with outputs comes back.
- A run of `n` cells with time limit `t` ends after about `n * t` seconds, whatever the code does.
- What went wrong stands in the outputs of the cell as an ordinary error output.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgkit.errors import EnvironmentFault

if TYPE_CHECKING:
    from nbclient import NotebookClient
    from nbformat import NotebookNode

TIME_LIMIT = "TimeLimit"
KERNEL_DIED = "KernelDied"
INTERRUPTED = "KeyboardInterrupt"
EXIT = "Exit"
PATIENCE = 5
"""Seconds a cell may take to stop after it was interrupted, and to send what it has to say."""
STARTUP = 60
"""Seconds a kernel may take to start."""

LONGEST = 60
"""A longer path leaves no room for the name of a socket in it."""

Step = Callable[[int, int], None]
"""Called before each code cell with its number and how many there are."""


@dataclass(frozen=True)
class Limits:
    """When a run gives up.

    Examples
    --------
    >>> Limits(cell=5).stop_at_error
    False
    """

    cell: float = 20.0
    """Seconds for one cell."""
    stop_at_error: bool = False
    """Whether the first error ends the run."""
    prepare: str = ""
    """Code run before the first cell, without a trace in the notebook."""


def run(
    notebook: NotebookNode,
    folder: Path,
    limits: Limits | None = None,
    *,
    step: Step | None = None,
) -> NotebookNode:
    """Run all code cells of a notebook in order.

    Parameters
    ----------
    notebook
        What to run; stays as it is.
    folder
        Where the kernel runs.
    limits
        When to give up.
    step
        Told which cell begins.

    Returns
    -------
    NotebookNode
        A copy with outputs. Cells that never ran have none and no execution count.

    Raises
    ------
    EnvironmentFault
        The kernel cannot be started.
    """
    ran = _cleared(notebook)
    with tempfile.TemporaryDirectory(prefix="cgkit") as sockets:
        client = _client(ran, folder, Path(sockets))
        asyncio.run(_run(client, limits or Limits(), step or _silent))
    ran.metadata["language_info"] = {"name": "python"}
    for cell in ran.cells:
        if cell.cell_type == "code":
            cell.outputs = _joined(cell.outputs)
    return ran


def error_of(cell: NotebookNode) -> NotebookNode | None:
    """Give the first error output of a cell, or None."""
    errors = (output for output in cell.get("outputs", ()) if output.output_type == "error")
    return next(errors, None)


def _silent(number: int, total: int) -> None:
    """Tell nobody."""


def _cleared(notebook: NotebookNode) -> NotebookNode:
    """Copy a notebook without outputs, for the Python of this course whatever kernel it names."""
    cleared = copy.deepcopy(notebook)
    cleared.metadata["kernelspec"] = {"display_name": "Python 3", "name": "python3"}
    for cell in cleared.cells:
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
    if "kernelspec" in notebook.metadata:
        cleared.metadata["kernelspec"] = copy.deepcopy(notebook.metadata["kernelspec"])
    return cleared


def _joined(outputs: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Join what was printed in pieces, since where it breaks is chance.

    nbclient could do this too, but takes quadratic time for a long line.
    """
    joined: list[NotebookNode] = []
    pieces: dict[int, list[str]] = {}
    for output in outputs:
        last = joined[-1] if joined else None
        if output.output_type != "stream":
            joined.append(output)
        elif last is not None and last.output_type == "stream" and last.name == output.name:
            pieces[id(last)].append(output.text)
        else:
            joined.append(output)
            pieces[id(output)] = [output.text]
    for output in joined:
        if id(output) in pieces:
            output.text = "".join(pieces[id(output)])
    return joined


def channels(sockets: Path) -> dict[str, dict[str, str]]:
    """Say how one kernel at a time is spoken to.

    Sockets are files where the system has such: with numbered ports, kernels that start at the
    same moment may choose the same.

    Parameters
    ----------
    sockets
        A folder for the files, of nobody else.

    Returns
    -------
    dict
        Settings for the classes of jupyter_client.

    Examples
    --------
    >>> channels(Path("a" * 99))["KernelManager"]
    {'transport_encryption': 'auto'}
    """
    settings = {"transport_encryption": "auto"}
    if os.name == "posix" and len(str(sockets)) < LONGEST:
        settings |= {"transport": "ipc", "ip": str(sockets / "kernel")}
    return {"KernelManager": settings, "AsyncKernelManager": dict(settings)}


def _client(notebook: NotebookNode, folder: Path, sockets: Path) -> NotebookClient:
    from nbclient import NotebookClient
    from traitlets.config import Config

    logger = logging.getLogger("cgkit.notebooks")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return NotebookClient(
        notebook,
        kernel_name="python3",
        allow_errors=True,
        record_timing=False,
        interrupt_on_timeout=True,
        error_on_timeout={"ename": TIME_LIMIT, "evalue": "", "traceback": []},
        iopub_timeout=PATIENCE,
        raise_on_iopub_timeout=True,
        store_widget_state=False,
        startup_timeout=STARTUP,
        log=logger,
        config=Config(channels(sockets)),
        resources={"metadata": {"path": str(folder)}},
    )


async def _run(client: NotebookClient, limits: Limits, step: Step) -> None:
    notebook = client.nb
    cells = [index for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    client.timeout_func = lambda _cell: max(1, round(limits.cell))
    client.reset_execution_trackers()
    client.km = manager = client.create_kernel_manager()
    try:
        await _start(client)
        if limits.prepare and client.kc is not None:
            await _awaited(client.kc.execute(limits.prepare, silent=True, store_history=False))
        for number, index in enumerate(cells, start=1):
            step(number, len(cells))
            alive = await _run_cell(client, index, limits)
            failed = error_of(notebook.cells[index]) is not None
            if not alive or (failed and limits.stop_at_error):
                break
    finally:
        if client.kc is not None:
            client.kc.stop_channels()
        if manager.has_kernel:
            await _awaited(manager.shutdown_kernel(now=True))


async def _start(client: NotebookClient) -> None:
    """Start the kernel, without nbclient's own handling of signals and of the end of Python."""
    environment = dict(os.environ, PYTHONHASHSEED="0")
    try:
        await client.async_start_new_kernel(env=environment)
        await client.async_start_new_kernel_client()
    except (OSError, RuntimeError) as error:
        fault = EnvironmentFault(
            "the Python kernel does not start", why=str(error), attempt="cgkit doctor"
        )
        raise fault from error


async def _run_cell(client: NotebookClient, index: int, limits: Limits) -> bool:
    """Run one cell and say whether the kernel can go on."""
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    cell = client.nb.cells[index]
    reply: dict[str, Any] = {}  # what the kernel said when the cell was done
    client.on_cell_executed = lambda **words: reply.update(words["execute_reply"]["content"])
    limit = _error(TIME_LIMIT, f"stopped after {limits.cell:g} seconds; does it ever end?")
    try:
        await client.async_execute_cell(cell, index)
    except DeadKernelError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            # Ctrl-C: nbclient takes it for the death of the kernel
            raise asyncio.CancelledError from None
        cell.outputs.append(_error(KERNEL_DIED, "the kernel stopped while this cell ran"))
        return False
    except CellTimeoutError:  # it did not even stop
        cell.outputs.append(limit)
        return False
    if any(order.get("source") == "ask_exit" for order in reply.get("payload", ())):
        cell.outputs.insert(0, _error(EXIT, "exit() or quit() ends the notebook: take it away"))
        return False
    if reply.get("ename") == TIME_LIMIT:
        # a check that was interrupted says more than that it took too long
        cell.outputs = [out for out in cell.outputs if out.get("ename") != INTERRUPTED]
        if error_of(cell) is None:
            cell.outputs.append(limit)
    return True


async def _awaited(value: Any) -> Any:
    """Wait for what some versions give at once and others later."""
    return await value if asyncio.iscoroutine(value) or asyncio.isfuture(value) else value


def _error(name: str, message: str) -> NotebookNode:
    from nbformat.v4 import new_output

    return new_output(  # type: ignore[no-any-return, no-untyped-call]
        "error", ename=name, evalue=message, traceback=[f"{name}: {message}"]
    )
