"""Support for Strapi v4 projects: settings, JavaScript, routes and reports. Other packages do not import it
directly."""
