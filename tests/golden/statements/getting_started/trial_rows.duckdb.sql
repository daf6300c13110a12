-- trial_rows
SELECT
  release,
  row_number,
  "label_0",
  "label_1"
FROM (
  SELECT
    0 AS release,
    n.row_number,
    decode(encode(CAST("t"."se""x" AS VARCHAR))) AS "label_0",
    decode(encode(CAST("t"."zip; --" AS VARCHAR))) AS "label_1"
  FROM "numbered sam'ple" AS t
  JOIN (
    SELECT r."n'th" AS row_number
    FROM "numbered sam'ple" AS r
    JOIN "numbered sam'ple-whole" AS "o1" ON "o1"."n'th" = r."n'th"
    ORDER BY row_number
    LIMIT 2
  ) AS n ON n.row_number = t."n'th"
  UNION ALL
  SELECT
    1 AS release,
    n.row_number,
    decode(encode(CAST("t"."se""x" AS VARCHAR))) AS "label_0",
    decode(encode(CAST("t"."zip; --" AS VARCHAR))) AS "label_1"
  FROM "numbered sam'ple-whole" AS t
  JOIN (
    SELECT r."n'th" AS row_number
    FROM "numbered sam'ple" AS r
    JOIN "numbered sam'ple-whole" AS "o1" ON "o1"."n'th" = r."n'th"
    ORDER BY row_number
    LIMIT 2
  ) AS n ON n.row_number = t."n'th"
) AS a
ORDER BY release, row_number
