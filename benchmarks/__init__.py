"""Benchmarks: one module for each stop of a request's road, on the bookshop of the tests.

`python -m benchmarks` measures them; every test run calls each of them once, so that they keep working.
"""
