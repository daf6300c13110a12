-- create_schema
CREATE SCHEMA IF NOT EXISTS "a'n;on"
