"""The rule changes which tokens win; and none of them knows more of new inputs than the data tell."""

import numpy as np

from attnsvm.audit import Claim, Reading, only

CLAIMS = ()
