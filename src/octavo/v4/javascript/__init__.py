"""Read JavaScript and TypeScript files of a v4 project as data. No code is ever run.

`source` reads files within limits, `parse` creates syntax trees, `syntax` has helpers for these, `modules` finds the
exports, declarations and imports of a file. `reader` evaluates expressions to `values`, with holes where only running
the code would give a value. `config` reads a project's configuration.
"""
