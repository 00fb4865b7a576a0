"""MySQL and MariaDB databases of Strapi v4, as sources of copies."""
