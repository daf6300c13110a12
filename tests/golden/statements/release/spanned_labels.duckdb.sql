-- spanned_labels-sex
CREATE TEMP TABLE "sp'ans-sex" AS
SELECT
  "label_0",
  "label_1"
FROM (
  SELECT
    m.*
  FROM (
    SELECT
      decode(encode(CAST("d"."value" AS VARCHAR))) AS "label_0",
      decode(encode(CAST("p"."level_1" AS VARCHAR))) AS "label_1"
    FROM "domain se""x" AS d
    JOIN "complete se""x" AS p
      ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"
  ) AS m
) AS s
