"""What the bodies of administrators' operations look like: TypedDicts, one module for each part of the pages.

Rows name them (`AdminOperation.answers`, `.takes`); `admin.contract` writes them as TypeScript for the pages, and tests
hold answers against them.
"""
