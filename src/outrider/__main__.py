"""`python -m outrider` is the command line."""

from outrider.interfaces.cli import main

if __name__ == "__main__":
    main()
