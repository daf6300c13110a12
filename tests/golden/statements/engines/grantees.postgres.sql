-- grantees
SELECT DISTINCT CASE WHEN p.grantee = 0 THEN NULL ELSE PG_GET_USERBYID(p.grantee) END AS who
FROM pg_class AS c, ACLEXPLODE(c.relacl) AS p
WHERE c.oid = CAST('"pub lic"."o''ther"' AS REGCLASS) AND p.grantee <> c.relowner
