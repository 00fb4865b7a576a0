"""Rejects requests for thirteen entries."""


def policy(context):
    return (context.args.get("pagination") or {}).get("limit") != 13
