"""The way in: `discreet` and `python -m discreet`. Ctrl-C is heard even before the command line is loaded."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line."""
    try:
        import signal

        from discreet.common.interrupting import interrupt
        from discreet.common.own_program import Ending, be_own_program

        signal.signal(signal.SIGTERM, interrupt)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else somebody wants it to be ignored
            signal.signal(signal.SIGINT, interrupt)

        be_own_program()
        gc.set_threshold(200_000, 20, 20)  # what a start makes stays: looking through it again and again is in vain
        with Ending():
            from discreet.cli.inputs import begin_at_once

            begin_at_once(sys.argv[1:])
            from discreet.cli.app import main as run

            run()
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
