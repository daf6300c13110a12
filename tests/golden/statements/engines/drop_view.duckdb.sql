-- drop_view
DROP VIEW IF EXISTS "read back"
