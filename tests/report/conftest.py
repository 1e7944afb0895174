"""Fixtures of the tests of the report."""

from tests.report.html_runs import report_runs as report_runs
