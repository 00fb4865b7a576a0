"""Compare Octavo with other content services on the same rows: `python -m benchmarks.peers --help`."""
