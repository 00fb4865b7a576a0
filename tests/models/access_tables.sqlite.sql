-- The tables that say who may, as v4 projects have them on SQLite; foreign keys to tables that play no part here left out.

CREATE TABLE up_users (
  id integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  username varchar(255),
  email varchar(255),
  provider varchar(255),
  password varchar(255),
  reset_password_token varchar(255),
  confirmation_token varchar(255),
  confirmed boolean,
  blocked boolean,
  created_at datetime,
  updated_at datetime,
  created_by_id integer,
  updated_by_id integer
);

CREATE TABLE up_roles (
  id integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  name varchar(255),
  description varchar(255),
  type varchar(255),
  created_at datetime,
  updated_at datetime,
  created_by_id integer,
  updated_by_id integer
);

CREATE TABLE up_permissions (
  id integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  action varchar(255),
  created_at datetime,
  updated_at datetime,
  created_by_id integer,
  updated_by_id integer
);

CREATE TABLE strapi_api_tokens (
  id integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  name varchar(255),
  description varchar(255),
  type varchar(255),
  access_key varchar(255),
  last_used_at datetime,
  expires_at datetime,
  lifespan bigint,
  created_at datetime,
  updated_at datetime,
  created_by_id integer,
  updated_by_id integer
);

CREATE TABLE strapi_api_token_permissions (
  id integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  action varchar(255),
  created_at datetime,
  updated_at datetime,
  created_by_id integer,
  updated_by_id integer
);

CREATE TABLE up_users_role_links (
  id integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  user_id integer CONSTRAINT up_users_role_links_fk REFERENCES up_users (id) ON DELETE CASCADE,
  role_id integer CONSTRAINT up_users_role_links_inv_fk REFERENCES up_roles (id) ON DELETE CASCADE,
  user_order float
);
CREATE UNIQUE INDEX up_users_role_links_unique ON up_users_role_links (user_id, role_id);

CREATE TABLE up_permissions_role_links (
  id integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  permission_id integer CONSTRAINT up_permissions_role_links_fk REFERENCES up_permissions (id) ON DELETE CASCADE,
  role_id integer CONSTRAINT up_permissions_role_links_inv_fk REFERENCES up_roles (id) ON DELETE CASCADE,
  permission_order float
);
CREATE UNIQUE INDEX up_permissions_role_links_unique ON up_permissions_role_links (permission_id, role_id);

CREATE TABLE strapi_api_token_permissions_token_links (
  id integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  api_token_permission_id integer CONSTRAINT strapi_api_token_permissions_token_links_fk REFERENCES strapi_api_token_permissions (id) ON DELETE CASCADE,
  api_token_id integer CONSTRAINT strapi_api_token_permissions_token_links_inv_fk REFERENCES strapi_api_tokens (id) ON DELETE CASCADE,
  api_token_permission_order float
);
CREATE UNIQUE INDEX strapi_api_token_permissions_token_links_unique ON strapi_api_token_permissions_token_links (api_token_permission_id, api_token_id);
