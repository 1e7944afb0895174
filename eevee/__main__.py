"""`python -m eevee`."""

from eevee.cli import main

if __name__ == "__main__":
    main()
