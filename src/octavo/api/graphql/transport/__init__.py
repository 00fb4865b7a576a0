"""Phase five: GraphQL over HTTP."""
