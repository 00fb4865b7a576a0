def policy(context, config):
    return config.get("open", True)
