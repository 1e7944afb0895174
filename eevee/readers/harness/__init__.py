"""Results of evaluation harnesses: one module per format, all with `fits` and `read`.

Each module reads a file or a folder (`Files`) as rows of one shape (`Row`); `settle` leaves one
row per cell, `tabulate` passes them to the reader of long tables. `sources` merges several.
"""

from __future__ import annotations

from eevee.readers.harness.files import Files
from eevee.readers.harness.formats import FORMATS, NAMES, Format, find_format, harvest
from eevee.readers.harness.rows import Harvest, Row

__all__ = ["FORMATS", "NAMES", "Files", "Format", "Harvest", "Row", "find_format", "harvest"]
