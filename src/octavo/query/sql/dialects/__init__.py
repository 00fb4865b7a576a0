"""One object per database: where databases differ in what is said to them, and nowhere else."""
