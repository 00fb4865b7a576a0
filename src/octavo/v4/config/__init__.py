"""The configuration of a v4 project (`config/*.js` and the like) as settings: what is read, what each key means."""
