"""Building blocks without knowledge of content: errors, caches, threads, forms, mail and outgoing HTTP."""
