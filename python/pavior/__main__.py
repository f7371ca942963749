# SPDX-License-Identifier: BSD-3-Clause
"""`python -m pavior` is the command `pavior`: that of a wheel, or the one on PATH, as with Debian's packages."""

import os
import sys

try:
    from pavior_command import main
except ImportError:

    def main():
        try:
            os.execvp("pavior", ["pavior", *sys.argv[1:]])
        except OSError as error:
            sys.exit(f"pavior: there is no command on PATH ({error.strerror}): sudo apt install pavior, or pip install .")


main()
