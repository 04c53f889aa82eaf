"""How a claim is read from the tables behind the figures, and judged: every verdict is computed, none is written."""

from attnsvm.audit.reading import Claim, NoInstance, Reading, Tables, only, some
from attnsvm.audit.table import audit, certificates

__all__ = ["Claim", "NoInstance", "Reading", "Tables", "audit", "certificates", "only", "some"]
