"""What a build is made into: documents, the site, the manuscript, and what is exchanged with others."""
