"""Core workers: in process, no model but the embedder."""

from thoth_workers.core.curator import CURATOR
from thoth_workers.core.embedder import EMBEDDER
from thoth_workers.core.force_reject import FORCE_REJECT
from thoth_workers.core.partitions import PARTITIONS
from thoth_workers.core.sentinel import SENTINEL

CORE = (SENTINEL, EMBEDDER, CURATOR, FORCE_REJECT, PARTITIONS)

# What talk rests on: the policy never dims these, only the operator can.
VITAL = frozenset({SENTINEL, FORCE_REJECT, PARTITIONS})
