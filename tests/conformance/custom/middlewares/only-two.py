"""Returns two entries for any request."""


async def middleware(next, parent, args, context, info):
    return await next(parent, {**args, "pagination": {"limit": 2}}, context, info)
