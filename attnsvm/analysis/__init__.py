"""What is measured on what was trained and solved: selected tokens, margins, directions, and their statistics."""
