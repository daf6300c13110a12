-- count_named_fields
SELECT COUNT(*) AS named
FROM (
  SELECT *
  FROM "the source; DROP TABLE x" AS s
  LIMIT 9
) AS f
WHERE TRIM("f"."se""x") = 'f''emale' OR TRIM("f"."dis'ease") = 'flu'
