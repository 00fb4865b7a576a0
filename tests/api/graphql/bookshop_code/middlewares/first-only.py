async def middleware(next, parent, args, context, info):
    found = await next(parent, args, context, info)
    return {key: value[:1] if key == "data" else value for key, value in found.items()}
