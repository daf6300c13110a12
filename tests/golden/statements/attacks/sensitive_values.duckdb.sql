-- sensitive_values
CREATE TEMP TABLE "attacked val'ues 1" AS
SELECT
  class,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    CONCAT(COALESCE(LENGTH(decode(encode(CAST("t"."se""x" AS VARCHAR)))) || ':' || decode(encode(CAST("t"."se""x" AS VARCHAR))), 'NULL'), ',', COALESCE(LENGTH(decode(encode(CAST("t"."zip; --" AS VARCHAR)))) || ':' || decode(encode(CAST("t"."zip; --" AS VARCHAR))), 'NULL'), ',') AS class,
    decode(encode(CAST("t"."dis'ease" AS VARCHAR))) AS value
  FROM "the source; DROP TABLE x" AS t
) AS r
GROUP BY class, value
