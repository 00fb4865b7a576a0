"""HTTP without a framework: requests, responses, routes, static files and the ASGI application."""
