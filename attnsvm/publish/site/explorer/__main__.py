"""`python -m attnsvm.publish.site.explorer OUT.html` writes the page."""

import sys

from attnsvm.publish.site.explorer import write

if len(sys.argv) != 2:
    sys.exit("usage: python -m attnsvm.publish.site.explorer OUT.html")
write(sys.argv[1])
