"""Read the configuration of a v4 project (`config/*.js` etc.) as settings, with the meaning of each key."""
