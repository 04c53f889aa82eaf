"""Every claim of the paper as a check on the tables behind the figures: the verdicts are computed, none is written."""

from attnsvm.audit.claims import CLAIMS
from attnsvm.audit.reading import Claim, Reading, Tables
from attnsvm.audit.table import audit, certificates

__all__ = ["CLAIMS", "Claim", "Reading", "Tables", "audit", "certificates"]
