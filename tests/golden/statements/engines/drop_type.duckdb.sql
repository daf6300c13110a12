-- drop_type
DROP TYPE IF EXISTS "no'type"
