-- after_suppression
CREATE TEMP TABLE "as shown" AS
SELECT
  COALESCE(o.suppressed, 0) AS suppressed,
  c."key_1"
    - (c."key_1" & CASE WHEN (o.suppressed & 2) <> 0 THEN CAST(24 AS BIGINT) ELSE 0 END) AS "shown_key_1",
  c."key_2"
    - (c."key_2" & CASE WHEN (o.suppressed & 4) <> 0 THEN CAST(6 AS BIGINT) ELSE 0 END) AS "shown_key_2",
  c."key_1",
  c."key_2",
  c."sensitive_1",
  c."sensitive_2",
  c."entity",
  c."row_count"
FROM "classes at" AS c
LEFT JOIN (
  SELECT
    "key_1",
    "key_2",
    MAX(suppressed) AS suppressed
  FROM "blanks of" AS t
  GROUP BY "key_1", "key_2"
) AS o
  ON o."key_1" = c."key_1" AND o."key_2" = c."key_2"
