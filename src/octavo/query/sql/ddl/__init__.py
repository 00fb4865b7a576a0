"""Schema definition (DDL): the tables that definitions require, and the statements that migrate to them."""
