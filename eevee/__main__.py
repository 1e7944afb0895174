"""The command `eevee`, also as `python -m eevee`."""

from eevee.base.stopping import end_at_once


def main() -> None:
    """Run the command line; Ctrl-C is heard before the rest of it is loaded."""
    end_at_once()
    from eevee.cli import main as run

    run()


if __name__ == "__main__":
    main()
