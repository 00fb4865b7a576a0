"""Options of content types and attributes that change between two starts, for example after `git pull`."""
