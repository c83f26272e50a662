"""Runs the command line as ``python -m skyjo``."""

from skyjo.cli.main import main

if __name__ == "__main__":
    main()
