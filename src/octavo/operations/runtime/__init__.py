"""One process and the sites it serves: settings become options, options become parts, parts are joined and run."""
