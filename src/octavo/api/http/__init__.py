"""HTTP without a framework: requests, answers, routes, files and the ASGI application that joins them."""
