"""Phase two: documents parsed, measured, validated, kept."""
