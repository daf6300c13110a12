-- persons
CREATE TEMP TABLE "per'sons" AS
SELECT
  person,
  MAX(first_class) AS first_class,
  MAX(second_class) AS second_class
FROM (
  SELECT
    person,
    class AS first_class,
    '' AS second_class
  FROM (
    SELECT
      decode(encode(CAST("t"."who" AS VARCHAR))) AS person,
      CONCAT(COALESCE(LENGTH(decode(encode(CAST("t"."se""x" AS VARCHAR)))) || ':' || decode(encode(CAST("t"."se""x" AS VARCHAR))), 'NULL'), ',', COALESCE(LENGTH(decode(encode(CAST("t"."zip; --" AS VARCHAR)))) || ':' || decode(encode(CAST("t"."zip; --" AS VARCHAR))), 'NULL'), ',') AS class
    FROM "the source; DROP TABLE x" AS t
  ) AS k
  WHERE class IN (SELECT class FROM "attacked clas'ses 1")
  UNION ALL
  SELECT
    person,
    '' AS first_class,
    class AS second_class
  FROM (
    SELECT
      decode(encode(CAST("t"."who" AS VARCHAR))) AS person,
      CONCAT(COALESCE(LENGTH(decode(encode(CAST("t"."se""x" AS VARCHAR)))) || ':' || decode(encode(CAST("t"."se""x" AS VARCHAR))), 'NULL'), ',', COALESCE(LENGTH(decode(encode(CAST("t"."zip; --" AS VARCHAR)))) || ':' || decode(encode(CAST("t"."zip; --" AS VARCHAR))), 'NULL'), ',') AS class
    FROM "the source; DROP TABLE x" AS t
  ) AS k
  WHERE class IN (SELECT class FROM "attacked clas'ses 2")
) AS m
GROUP BY person
