-- pair_cells
CREATE TEMP TABLE "measu'red cells" AS
WITH shares AS (
  SELECT
    0 AS quasi,
    c.label,
    c.bin,
    CAST("c"."covered" AS DOUBLE) / CAST("c"."all_covered" AS DOUBLE) AS share
  FROM (
    SELECT
      label,
      bin,
      COUNT(DISTINCT own) AS covered,
      SUM(COUNT(DISTINCT own)) OVER (PARTITION BY label) AS all_covered
    FROM "measu'red bins se""x"
    WHERE label IN (
      SELECT first_value FROM "measu'red pairs" AS f WHERE first_quasi = 0
    )
    GROUP BY label, bin
  ) AS c
  UNION ALL
  SELECT
    1 AS quasi,
    c.label,
    c.bin,
    CAST("c"."covered" AS DOUBLE) / CAST("c"."all_covered" AS DOUBLE) AS share
  FROM (
    SELECT
      label,
      bin,
      COUNT(DISTINCT own) AS covered,
      SUM(COUNT(DISTINCT own)) OVER (PARTITION BY label) AS all_covered
    FROM "measu'red bins zip; --"
    WHERE label IN (
      SELECT first_value FROM "measu'red pairs" AS f WHERE first_quasi = 1
      UNION
      SELECT second_value FROM "measu'red pairs" AS s WHERE second_quasi = 1
    )
    GROUP BY label, bin
  ) AS c
  UNION ALL
  SELECT
    2 AS quasi,
    c.label,
    c.bin,
    CAST("c"."covered" AS DOUBLE) / CAST("c"."all_covered" AS DOUBLE) AS share
  FROM (
    SELECT
      label,
      bin,
      COUNT(DISTINCT own) AS covered,
      SUM(COUNT(DISTINCT own)) OVER (PARTITION BY label) AS all_covered
    FROM "measu'red bins age
of 👩"
    WHERE label IN (
      SELECT first_value FROM "measu'red pairs" AS f WHERE first_quasi = 2
      UNION
      SELECT second_value FROM "measu'red pairs" AS s WHERE second_quasi = 2
    )
    GROUP BY label, bin
  ) AS c
  UNION ALL
  SELECT
    3 AS quasi,
    c.label,
    c.bin,
    CAST("c"."covered" AS DOUBLE) / CAST("c"."all_covered" AS DOUBLE) AS share
  FROM (
    SELECT
      label,
      bin,
      COUNT(DISTINCT own) AS covered,
      SUM(COUNT(DISTINCT own)) OVER (PARTITION BY label) AS all_covered
    FROM "measu'red bins SELECT"
    WHERE label IN (
      SELECT second_value FROM "measu'red pairs" AS s WHERE second_quasi = 3
    )
    GROUP BY label, bin
  ) AS c
)
SELECT
  COALESCE(o.first_quasi, r.first_quasi) AS first_quasi,
  COALESCE(o.second_quasi, r.second_quasi) AS second_quasi,
  COALESCE(o.first_value, r.first_bin) AS first_bin,
  COALESCE(o.second_value, r.second_bin) AS second_bin,
  CAST("o"."row_count" AS DOUBLE) AS own_rows,
  r.expected,
  r.plain
FROM "measu'red own" AS o
FULL JOIN (
  SELECT
    h.first_quasi,
    h.second_quasi,
    h.first_bin,
    y.bin AS second_bin,
    SUM(h.expected * y.share) AS expected,
    SUM(CASE WHEN y.share = 1 THEN h.plain END) AS plain
  FROM (
    SELECT
      g.first_quasi,
      g.second_quasi,
      x.bin AS first_bin,
      g.second_value,
      SUM(CAST("g"."row_count" AS DOUBLE) * x.share) AS expected,
      SUM(CASE WHEN x.share = 1 THEN CAST("g"."row_count" AS DOUBLE) END) AS plain
    FROM "measu'red pairs" AS g
    JOIN shares AS x ON x.quasi = g.first_quasi AND x.label = g.first_value
    GROUP BY g.first_quasi, g.second_quasi, x.bin, g.second_value
  ) AS h
  JOIN shares AS y ON y.quasi = h.second_quasi AND y.label = h.second_value
  GROUP BY h.first_quasi, h.second_quasi, h.first_bin, y.bin
) AS r
  ON r.first_quasi = o.first_quasi AND r.second_quasi = o.second_quasi
  AND r.first_bin = o.first_value AND r.second_bin = o.second_value
