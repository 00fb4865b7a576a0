async def policy():
    return False
