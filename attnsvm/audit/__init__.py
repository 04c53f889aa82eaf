"""How a claim is read from the tables behind the figures, and judged: every verdict is computed, none is written."""

from typing import TYPE_CHECKING

from attnsvm.system.lazy import exports

if TYPE_CHECKING:
    from attnsvm.audit.conditions import number as number
    from attnsvm.audit.evaluation import Claim as Claim
    from attnsvm.audit.evaluation import Claims as Claims
    from attnsvm.audit.evaluation import Reading as Reading
    from attnsvm.audit.evaluation import Tables as Tables
    from attnsvm.audit.rows import NoInstance as NoInstance
    from attnsvm.audit.rows import only as only
    from attnsvm.audit.rows import some as some
    from attnsvm.audit.table import audit as audit
    from attnsvm.audit.table import certificates as certificates
else:
    __getattr__, __dir__ = exports(__name__)
