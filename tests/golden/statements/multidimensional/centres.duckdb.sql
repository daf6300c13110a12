-- centres
CREATE TEMP TABLE "cen'tres by mean" AS
SELECT
  region,
  CASE WHEN rounded IS NOT NULL THEN CAST("rounded" AS DOUBLE) / 1000000 ELSE middle / 1000000 END AS centre,
  CAST(rounded AS BIGINT) AS steps
FROM (
  SELECT
    region,
    middle,
    CASE WHEN ABS(middle) < 9007199254740992 THEN FLOOR(middle + 0.5) END AS rounded
  FROM (
    SELECT
      region,
      CAST("total" AS DOUBLE) / CAST("counted" AS DOUBLE) AS middle
    FROM (
      SELECT
        region,
        SUM(row_count * number) AS total,
        SUM(row_count) AS counted
      FROM (
        SELECT
          h.region,
          h.row_count,
          n.number
        FROM (
          SELECT region, "place_0" AS place, CAST(SUM(row_count) AS BIGINT) AS row_count
          FROM "ho'mes" AS w
          GROUP BY region, "place_0"
        ) AS h
        JOIN (
          SELECT place, MIN(CASE WHEN regexp_full_match(CAST("a"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("a"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("a"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("a"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END) AS number
          FROM "line; 0" AS a
          GROUP BY place
        ) AS n ON n.place = h.place
      ) AS c
      GROUP BY region
    ) AS s
  ) AS m
) AS r
