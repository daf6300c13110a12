DROP VIEW IF EXISTS "read back"
