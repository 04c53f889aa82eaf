"""`python -m attnsvm.site.explorer OUT.html` writes the page."""

import sys

from attnsvm.site.explorer import write

if len(sys.argv) != 2:
    sys.exit("usage: python -m attnsvm.site.explorer OUT.html")
write(sys.argv[1])
