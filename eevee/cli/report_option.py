"""The option `--report` of verbs that leave a run folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from eevee.cli.options import RunOptions
from eevee.cli.panels import OUTPUT, option
from eevee.cli.printing import print_line, print_written

if TYPE_CHECKING:
    from eevee.tables.results_table import ResultsTable


@dataclass(frozen=True)
class ReportedRunOptions(RunOptions):
    """Options of a run that can end with a report."""

    report: Annotated[
        bool,
        option("--report", help="Also write report.html into the run folder.", panel=OUTPUT),
    ] = False

    def check(self) -> None:
        """Refuse a report without a run folder as wrong usage."""
        if self.report and self.out is None:
            raise typer.BadParameter("--report needs --out")

    @property
    def writing(self) -> str:
        """What is written in the end, in words."""
        return "writing the run folder" + (" and the report" if self.report else "")

    def write_report(self, table: ResultsTable) -> None:
        """Write the report of the run folder, which is there, if it is asked for."""
        from eevee.report.html.page import write_report

        if self.report and self.out is not None:
            write_report([self.out], table=table)

    def print_written(self) -> None:
        """Say where the run folder is, and the report, if there are any."""
        print_written(self.out)
        if self.report and self.out is not None:
            print_line(f"report: {self.out / 'report.html'}")
