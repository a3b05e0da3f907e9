"""The command line: describe, compare, experiment, fit, select, tune, ensemble, show, predict, explain and more.

Each command lives in a file of its own and is imported only when it is called, so ``assay --help`` is quick.
Errors in a file, a column or an option end in one sentence and exit code 2.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from typing import Any

import click

import assay
from assay.errors import AssayError

__all__ = ["main"]

COMMANDS = {
    "describe": "What is in a table: columns, kinds, missing values, classes, and what looks wrong.",
    "compare": "Which learners are worth having, and which differences are real.",
    "experiment": "Many learners and settings on many data sets, resumable.",
    "fit": "Train one learner on a table and save it.",
    "select": "Which columns to keep, why, and the honest error of a learner with them.",
    "tune": "Search for the parameters of a learner, with the honest error of the tuned one.",
    "ensemble": "A library of models, selected, stacked or voting, and whether it beats its best member.",
    "show": "What a saved model has learned: tree, rules, coefficients, importances.",
    "predict": "Predict each row of a table with a saved model.",
    "explain": "Why a saved model predicts what it does for one row.",
    "cluster": "Groups of rows: how many there are, and what they are.",
    "associate": "Association rules: what is bought together, with support, confidence and lift.",
    "bandit": "What other policies would have earned, by a log of decisions.",
    "network": "Bayesian networks: learn one from a table, draw it, ask it.",
    "datasets": "The built-in data sets.",
    "learners": "The learners by the names that other commands take.",
}


class ReaderLeftError(Exception):
    """The reader of standard output, such as head, has closed it."""


class Commands(click.Group):
    """A group whose commands are imported when they are called."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; click would make a closed pipe an exit code of 1."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            raise ReaderLeftError from None
        return result

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which one would use them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"assay.cli.{cmd_name}").command
        command.short_help = COMMANDS[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list for --help, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Suggest the nearest command for a misspelt one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from assay.errors import did_you_mean

            raise click.UsageError(
                f"There is no command {args[0]!r}.{did_you_mean(args[0], COMMANDS)}", ctx=ctx
            )
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(assay.__version__, prog_name="assay")
def commands() -> None:
    """Assay tells things apart, and proves it.

    A first look: assay compare breast_cancer. Your own table: assay describe FILE, then
    assay compare FILE --target COLUMN.
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line; ``ASSAY_DEBUG=1`` shows the traceback of an unexpected error."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _note
            commands.main(args=args, prog_name="assay", standalone_mode=False)
    except click.exceptions.Abort:
        _end("Interrupted.", 130)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.ClickException as error:
        hint = ""
        if isinstance(error, click.UsageError) and error.ctx is not None:
            hint = f" See {error.ctx.command_path} --help."
        message = error.format_message()
        _end(message + ("" if message.endswith((".", "?")) else ".") + hint, 2)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (AssayError, NotImplementedError) as error:
        from assay.cli.words import in_options

        _end(in_options(str(error)), 2)
    except KeyboardInterrupt:
        _end("Interrupted.", 130)
    except ReaderLeftError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:  # no such folder, no permission, no space left
        where = f" {error.filename}" if error.filename else ""
        _end(f"Cannot read or write{where}: {error.strerror or error}.", 2)
    except Exception as error:
        if os.environ.get("ASSAY_DEBUG"):
            raise
        _end(f"{type(error).__name__}: {error} (ASSAY_DEBUG=1 shows where)", 2)


def _note(message: Warning | str, *where: object, **more: object) -> None:
    """Print a warning on a line, without the source location that raised it."""
    click.echo(f"Note: {message}", err=True)


def _end(message: str, code: int) -> None:
    click.echo(f"assay: {message}", err=True)
    sys.exit(code)
