"""Convert entries between database rows and the JSON of archives."""
