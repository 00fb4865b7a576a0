"""The content manager: how administrators read and edit content, for all APIs."""
