"""Generate the types of a project as a TypeScript file with a small client, and in Strapi v4's format."""
