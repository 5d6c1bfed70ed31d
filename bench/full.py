"""Every benchmark: the quick ones, a million slices, everything wrong, freshness, perceiving, growth. Takes hours.

make bench-full BENCH_DATA=DIR        or        python -m bench.full --data DIR [--dsn DSN] [--vectors FILE]
"""

from __future__ import annotations

import sys

from bench.run import arguments, each

FULL = (
    ("quality",),
    ("recall_speed", "--sizes", "10000,100000,1000000", "--wrong"),
    ("freshness",),
    ("perceive",),
    ("growth",),
)


if __name__ == "__main__":
    sys.exit(each(arguments(__doc__), FULL))
