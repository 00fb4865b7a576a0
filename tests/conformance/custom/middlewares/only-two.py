"""Two entries, whatever was asked for."""


async def middleware(next, parent, args, context, info):
    return await next(parent, {**args, "pagination": {"limit": 2}}, context, info)
