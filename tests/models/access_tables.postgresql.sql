-- The tables that say who may, as v4 projects have them on PostgreSQL; foreign keys to tables that play no part here left out.

CREATE TABLE up_users (
  id serial PRIMARY KEY,
  username character varying(255),
  email character varying(255),
  provider character varying(255),
  password character varying(255),
  reset_password_token character varying(255),
  confirmation_token character varying(255),
  confirmed boolean,
  blocked boolean,
  created_at timestamp(6) without time zone,
  updated_at timestamp(6) without time zone,
  created_by_id integer,
  updated_by_id integer
);

CREATE TABLE up_roles (
  id serial PRIMARY KEY,
  name character varying(255),
  description character varying(255),
  type character varying(255),
  created_at timestamp(6) without time zone,
  updated_at timestamp(6) without time zone,
  created_by_id integer,
  updated_by_id integer
);

CREATE TABLE up_permissions (
  id serial PRIMARY KEY,
  action character varying(255),
  created_at timestamp(6) without time zone,
  updated_at timestamp(6) without time zone,
  created_by_id integer,
  updated_by_id integer
);

CREATE TABLE strapi_api_tokens (
  id serial PRIMARY KEY,
  name character varying(255),
  description character varying(255),
  type character varying(255),
  access_key character varying(255),
  last_used_at timestamp(6) without time zone,
  expires_at timestamp(6) without time zone,
  lifespan bigint,
  created_at timestamp(6) without time zone,
  updated_at timestamp(6) without time zone,
  created_by_id integer,
  updated_by_id integer
);

CREATE TABLE strapi_api_token_permissions (
  id serial PRIMARY KEY,
  action character varying(255),
  created_at timestamp(6) without time zone,
  updated_at timestamp(6) without time zone,
  created_by_id integer,
  updated_by_id integer
);

CREATE TABLE up_users_role_links (
  id serial PRIMARY KEY,
  user_id integer CONSTRAINT up_users_role_links_fk REFERENCES up_users (id) ON DELETE CASCADE,
  role_id integer CONSTRAINT up_users_role_links_inv_fk REFERENCES up_roles (id) ON DELETE CASCADE,
  user_order double precision
);
CREATE UNIQUE INDEX up_users_role_links_unique ON up_users_role_links (user_id, role_id);

CREATE TABLE up_permissions_role_links (
  id serial PRIMARY KEY,
  permission_id integer CONSTRAINT up_permissions_role_links_fk REFERENCES up_permissions (id) ON DELETE CASCADE,
  role_id integer CONSTRAINT up_permissions_role_links_inv_fk REFERENCES up_roles (id) ON DELETE CASCADE,
  permission_order double precision
);
CREATE UNIQUE INDEX up_permissions_role_links_unique ON up_permissions_role_links (permission_id, role_id);

CREATE TABLE strapi_api_token_permissions_token_links (
  id serial PRIMARY KEY,
  api_token_permission_id integer CONSTRAINT strapi_api_token_permissions_token_links_fk REFERENCES strapi_api_token_permissions (id) ON DELETE CASCADE,
  api_token_id integer CONSTRAINT strapi_api_token_permissions_token_links_inv_fk REFERENCES strapi_api_tokens (id) ON DELETE CASCADE,
  api_token_permission_order double precision
);
CREATE UNIQUE INDEX strapi_api_token_permissions_token_links_unique ON strapi_api_token_permissions_token_links (api_token_permission_id, api_token_id);
