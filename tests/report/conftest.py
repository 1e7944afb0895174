"""Fixtures of the tests of the report."""

from tests.report.html_runs import report_runs

__all__ = ["report_runs"]
