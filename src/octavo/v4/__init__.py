"""Strapi v4 projects: their settings, JavaScript, routes and reports. Nothing else imports this package directly."""
