"""What leaves a build and comes back to it: numbers to compare with, results to pass on, a description for archives."""
