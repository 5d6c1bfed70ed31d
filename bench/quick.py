"""The benchmarks that fit into half an hour once the vectors are cached: quality without and with knowledge, and speed at
10,000 and 100,000 slices.

make bench BENCH_DATA=DIR        or        python -m bench.quick --data DIR [--dsn DSN] [--vectors FILE]
"""

from __future__ import annotations

import sys

from bench.run import arguments, each

QUICK = (("quality", "--knowledge"), ("recall_speed", "--sizes", "10000,100000"))


if __name__ == "__main__":
    sys.exit(each(arguments(__doc__), QUICK))
