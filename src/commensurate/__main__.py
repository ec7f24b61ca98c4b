"""``python -m commensurate`` is the command."""

from commensurate.cli.main import run

if __name__ == "__main__":
    run()
