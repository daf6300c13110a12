-- squared_error
SELECT
  COALESCE(SUM(row_count), 0) AS row_count,
  SUM(CAST("row_count" AS DOUBLE) * (own - middle) * (own - middle)) AS squares
FROM (
  SELECT
    d.row_count,
    CAST("d"."value" AS DOUBLE) AS own,
    (CAST("i"."low" AS DOUBLE) + CAST("i"."high" AS DOUBLE)) / 2 AS middle
  FROM "domain age
of 👩" AS d
  JOIN (
    SELECT
      p.*,
      p."low_1" AS low,
      p."high_1" AS high
    FROM "complete age
of 👩" AS p
  ) AS i
    ON "d"."value" IS NOT DISTINCT FROM "i"."value"
  WHERE i.low IS NOT NULL AND i.high IS NOT NULL
) AS e
