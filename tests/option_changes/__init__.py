"""Options of content types and attributes that change between two starts, as by `git pull`."""
