"""`octavo compare`: send the same requests to two services and compare the responses."""
