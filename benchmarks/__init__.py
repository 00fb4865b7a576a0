"""Benchmarks of each stage of a request, on the bookshop of the tests.

`python -m benchmarks` measures them. Each test run calls every benchmark once, so that they keep working.
"""
