-- value_rows
CREATE TEMP TABLE "report'ed value rows" AS
SELECT
  v.label,
  SUM(d.row_count) AS row_count
FROM "measu'red days" AS v
JOIN "domain se""x" AS d
  ON COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') = v.own
GROUP BY v.label
