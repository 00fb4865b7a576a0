"""The types of a project as one file of TypeScript, with a small client; and in the form of Strapi v4's own."""
