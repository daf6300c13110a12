-- owner_of
SELECT PG_GET_USERBYID(relowner)
FROM pg_class
WHERE oid = CAST('"pub lic"."o''ther"' AS REGCLASS)
