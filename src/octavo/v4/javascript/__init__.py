"""JavaScript and TypeScript files of a v4 project, read as data. Nothing of them is ever run.

`source` reads files within bounds, `parse` makes syntax trees of them, `syntax` walks these, `modules` tells what a
file exports, declares and imports. `reader` evaluates: it gives `values`, with holes where only running the code could
tell. `config` reads a project's configuration.
"""
