"""One self-contained HTML page of what run folders hold.

Each module of sections turns a part of the run folders into plain dataclasses; `page` puts them
into the templates. Nothing here fits or searches.
"""
