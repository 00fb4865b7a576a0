"""`python -m octavo`: the command line."""

from octavo.cli import main

if __name__ == "__main__":
    main(prog_name="octavo")
