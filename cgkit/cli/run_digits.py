"""`cgkit run digits`: a network learns to read digits, while one watches.

    cgkit run digits                          on the 1,797 small images that are part of cgkit
    cgkit run digits --model mlp --epochs 60  another network, for longer
    cgkit run digits --data mnist             on 70,000 images, which one fetches first
    cgkit run digits --resume                 on from where Ctrl-C, or worse, stopped it

Where it stands is kept in build/run/ after each epoch. A resumed training gives the same numbers as
one that was never stopped.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from cgkit import data, nn
from cgkit.cli.report import Item, Progress, emit, fail, json_option, spoken
from cgkit.errors import UsageFault
from cgkit.notebooks.project import find_project
from cgkit.optimizers import AdamW, StepDecay
from cgkit.tensor import Generator
from cgkit.training import Epoch, Told, cnn, mlp, train
from cgkit.training.checkpoint import keep_earlier
from cgkit.words import counted


@dataclass(frozen=True)
class Setting:
    """How a network learns from a data set, unless told otherwise."""

    epochs: int
    batch: int
    halved: int
    """After how many epochs the learning rate is halved, again and again."""
    rate: float = 0.01


SETTINGS = {
    ("digits", "cnn"): Setting(epochs=20, batch=32, halved=5),
    ("digits", "mlp"): Setting(epochs=40, batch=32, halved=10),
    ("mnist", "mlp"): Setting(epochs=6, batch=64, halved=1, rate=0.005),
    ("mnist", "cnn"): Setting(epochs=2, batch=64, halved=1, rate=0.005),
}
"""For each data set its models, the usual one first."""
HIDDEN = {"digits": 32, "mnist": 128}
"""How many numbers the hidden layer of an mlp has."""


@dataclass(frozen=True)
class Choice:
    """What was asked for on the command line."""

    name: str
    """Of the data set."""
    model: str
    epochs: int
    seed: int
    place: str | None
    """Where MNIST is."""
    checkpoint: str | None

    @property
    def file(self) -> Path:
        """Where to keep how the training stands."""
        if self.checkpoint is not None:
            return Path(self.checkpoint)
        return find_project(Path.cwd()).build / "run" / f"{self.name}-{self.model}.npz"

    def words(self, *more: str) -> str:
        """Write the command that asks for it."""
        usual = SETTINGS[self.name, self.model].epochs
        words = ["run", "digits", "--model", self.model]
        words += ["--data", self.name] if self.name != "digits" else []
        words += ["--from", self.place] if self.place else []
        words += ["--epochs", str(self.epochs)] if self.epochs != usual else []
        words += ["--seed", str(self.seed)] if self.seed else []
        words += ["--checkpoint", self.checkpoint] if self.checkpoint else []
        return spoken(" ".join(f'"{word}"' if " " in word else word for word in (*words, *more)))

    def dataset(self) -> data.Dataset:
        """Give the images."""
        if self.name == "mnist":
            return data.mnist(self.place)
        if self.place is not None:
            raise UsageFault(
                "the digits are part of cgkit, and read from nowhere else",
                attempt=spoken(f"run digits --data mnist --from {self.place}"),
            )
        return data.digits()

    def network(self, examples: data.Dataset) -> nn.Sequential:
        """Make the network, with its first numbers."""
        if self.model == "cnn":
            return cnn(examples, Generator(self.seed))
        return mlp(examples, Generator(self.seed), HIDDEN[self.name])

    def train(
        self, network: nn.Sequential, examples: data.Dataset, tell: Watch, resume: bool
    ) -> tuple[Epoch, ...]:
        """Train it."""
        setting = SETTINGS[self.name, self.model]
        steps = -(-len(examples.train) // setting.batch)
        rate = StepDecay(setting.rate, every=setting.halved * steps, factor=0.5)
        return train(
            network, examples, epochs=self.epochs, batch=setting.batch, seed=self.seed,
            optimizer=AdamW(rate, weight_decay=0.1), checkpoint=self.file, resume=resume,
            tell=tell,
        )  # fmt: skip


@dataclass(frozen=True)
class EpochItem(Item):
    """One epoch in the report of --json, with the figures a program wants."""

    epoch: int = 0
    loss: float = 0.0
    accuracy: float = 0.0
    """Which part of the examples was read rightly while learning from them."""
    tested: float = 0.0
    """Which part of the test images was read rightly after the epoch."""


def item_of(epoch: Epoch, epochs: int) -> EpochItem:
    """Write a line of what came of an epoch.

    Examples
    --------
    >>> item_of(Epoch(2, 0.25, 0.93, 0.95), 20).as_text(14)
    '· epoch 2 of 20   loss 0.2500, accuracy 93.0%, test 95.0%'
    """
    words = f"loss {epoch.loss:.4f}, accuracy {epoch.accuracy:.1%}, test {epoch.tested:.1%}"
    return EpochItem(
        f"epoch {epoch.number} of {epochs}", "note", words, epoch.number, epoch.loss,
        epoch.accuracy, epoch.tested,
    )  # fmt: skip


@dataclass
class Watch:
    """Shows a training as it goes, and keeps what it was told."""

    epochs: int
    quiet: bool
    progress: Progress = field(default_factory=lambda: Progress("training"))
    items: list[Item] = field(default_factory=list)
    last: Told | None = None

    def __call__(self, told: Told) -> None:
        """Show one step, and a line for each epoch."""
        self.last = told
        if self.progress.total is None:
            ahead = (self.epochs - told.epoch + 1) * told.steps - told.step + 1
            self.progress.total = ahead
        words = f"epoch {told.epoch}, loss {told.loss:.3f}, accuracy {told.accuracy:.1%}"
        self.progress.step(words)
        if told.ended:
            item = item_of(told.ended, self.epochs)
            self.items.append(item)
            self.progress.clear()
            if not self.quiet:
                click.echo(item.as_text(len(f"epoch {self.epochs} of {self.epochs}")))


@click.command()
@click.option("--epochs", type=click.IntRange(min=1), help="How often to look at all images.")
@click.option("--resume", is_flag=True, help="Go on from where the last training stopped.")
@click.option(
    "--model",
    type=click.Choice(["cnn", "mlp"]),
    help="Two convolutions, usual for the digits; or one hidden layer, usual for MNIST.",
)
@click.option(
    "--data",
    "name",
    type=click.Choice(["digits", "mnist"]),
    default="digits",
    show_default=True,
    help="1,797 images of 8 by 8 pixels, or 70,000 of 28 by 28.",
)
@click.option("--from", "place", metavar="PATH", help="Where the files of MNIST are.")
@click.option("--seed", type=int, default=0, show_default=True, help="Decides all that is drawn.")
@click.option("--checkpoint", metavar="FILE", help="Where to keep how the training stands.")
@json_option
def command(
    epochs: int | None,
    resume: bool,
    model: str | None,
    name: str,
    place: str | None,
    seed: int,
    checkpoint: str | None,
    as_json: bool,
) -> None:
    """Train a network to read handwritten digits.

    Each epoch is a line: the mean loss, and which part of the images was read rightly, of those to
    learn from and of those kept apart. Stop it with Ctrl-C as you like, and go on with --resume.
    """
    model = model or next(kind for known, kind in SETTINGS if known == name)
    epochs = epochs or SETTINGS[name, model].epochs
    choice = Choice(name, model, epochs, seed, place, checkpoint)
    examples = choice.dataset()
    network = choice.network(examples)
    make_room(choice, resume)
    if not as_json:
        click.echo(f"{examples!r}\n{network!r}")
    watch = Watch(epochs, quiet=as_json)
    began = time.monotonic()
    try:
        with watch.progress:
            history = choice.train(network, examples, watch, resume)
    except KeyboardInterrupt as stop:
        stopped(choice, watch, as_json, kept=bool(getattr(stop, "__notes__", ())))
    result = summary(choice, history, examples, time.monotonic() - began, bool(watch.items))
    emit("run", [*watch.items, result] if as_json else [result], as_json)


def make_room(choice: Choice, resume: bool) -> None:
    """See that there is something to resume, or that an earlier training is not lost.

    Raises
    ------
    UsageFault
        There is nothing to resume, or no folder for the checkpoint.
    """
    file = choice.file
    if choice.checkpoint is None:
        file.parent.mkdir(parents=True, exist_ok=True)
    elif not file.parent.is_dir():
        raise UsageFault(f"cannot keep anything in {file}", why=f"there is no {file.parent}")
    if resume and not file.exists():
        raise UsageFault(f"there is nothing to resume: no {file}", attempt=choice.words())
    earlier = None if resume else keep_earlier(file)
    if earlier is not None:
        click.echo(f"what an earlier training left is now {earlier}", err=True)


def stopped(choice: Choice, watch: Watch, as_json: bool, kept: bool) -> None:
    """Say how to go on, and leave."""
    told = watch.last
    where = f"in epoch {told.epoch}, after step {told.step} of {told.steps}" if told else "at once"
    held = "holds it all" if kept else "holds what was saved before"
    words = f"{where}; {choice.file} {held}: {choice.words('--resume')} goes on from there"
    if as_json:
        emit("run", [*watch.items, Item("stopped", "failed", words)], as_json=True)
    fail(f"stopped {words}", 130)


def summary(
    choice: Choice, history: Sequence[Epoch], examples: data.Dataset, seconds: float, learned: bool
) -> Item:
    """Say what came of it."""
    last = history[-1]
    first = f"{last.tested:.1%} of {len(examples.test):,} test images are read rightly"
    second = (
        f"{counted(len(history), 'epoch')}, {seconds:.1f} s"
        if learned
        else "nothing was left to do"
    )
    words = f"{first}\n{second}; kept in {choice.file}"
    return Item(f"{choice.name} {choice.model}", "ok", words)
