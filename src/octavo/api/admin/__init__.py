"""The admin API: authentication of administrators, content management and project settings."""
