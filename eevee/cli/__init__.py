"""The command line: it parses, calls one library function and prints."""

# The verbs register themselves with `app`; the order here is that of `eevee --help`.
# isort: off
from eevee.cli import import_results as import_results
from eevee.cli import look as look
from eevee.cli import select as select
from eevee.cli import sweep as sweep
from eevee.cli import tiers as tiers
from eevee.cli import export as export
from eevee.cli import pareto as pareto
from eevee.cli import judge as judge
from eevee.cli import assess as assess
from eevee.cli import report as report
from eevee.cli import predict as predict
from eevee.cli import impute as impute
from eevee.cli import measure as measure
from eevee.cli import plan as plan
from eevee.cli import run as run
from eevee.cli import costs as costs
from eevee.cli.app import app as app
from eevee.cli.app import main as main
