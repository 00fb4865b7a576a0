"""Phase four: operations become reads and writes, their answers one JSON text."""
