-- duckdb
CREATE TEMP TABLE "measu'red cells" AS
SELECT
  COALESCE(o.first_quasi, r.first_quasi) AS first_quasi,
  COALESCE(o.second_quasi, r.second_quasi) AS second_quasi,
  COALESCE(o.first_value, r.first_bin) AS first_bin,
  COALESCE(o.second_value, r.second_bin) AS second_bin,
  CAST("o"."row_count" AS DOUBLE) AS own_rows,
  r.expected
FROM "measu'red own" AS o
FULL JOIN (
  SELECT
    g.first_quasi,
    g.second_quasi,
    x.bin AS first_bin,
    y.bin AS second_bin,
    SUM(CAST("g"."row_count" AS DOUBLE) * x.share * y.share) AS expected
  FROM "measu'red pairs" AS g
  JOIN (
    SELECT
      0 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE) / CAST("w"."covered" AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins se""x"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins se""x"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      1 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE) / CAST("w"."covered" AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins zip; --"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins zip; --"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      2 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE) / CAST("w"."covered" AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins age
of 👩"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins age
of 👩"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      3 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE) / CAST("w"."covered" AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins SELECT"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins SELECT"
      GROUP BY label
    ) AS w ON w.label = c.label
  ) AS x ON x.quasi = g.first_quasi AND x.label = g.first_value
  JOIN (
    SELECT
      0 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE) / CAST("w"."covered" AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins se""x"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins se""x"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      1 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE) / CAST("w"."covered" AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins zip; --"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins zip; --"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      2 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE) / CAST("w"."covered" AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins age
of 👩"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins age
of 👩"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      3 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE) / CAST("w"."covered" AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins SELECT"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins SELECT"
      GROUP BY label
    ) AS w ON w.label = c.label
  ) AS y ON y.quasi = g.second_quasi AND y.label = g.second_value
  GROUP BY g.first_quasi, g.second_quasi, x.bin, y.bin
) AS r
  ON r.first_quasi = o.first_quasi AND r.second_quasi = o.second_quasi
  AND r.first_bin = o.first_value AND r.second_bin = o.second_value

-- postgres
CREATE TEMP TABLE "measu'red cells" AS
SELECT
  COALESCE(o.first_quasi, r.first_quasi) AS first_quasi,
  COALESCE(o.second_quasi, r.second_quasi) AS second_quasi,
  COALESCE(o.first_value, r.first_bin) AS first_bin,
  COALESCE(o.second_value, r.second_bin) AS second_bin,
  CAST("o"."row_count" AS DOUBLE PRECISION) AS own_rows,
  r.expected
FROM "measu'red own" AS o
FULL JOIN (
  SELECT
    g.first_quasi,
    g.second_quasi,
    x.bin AS first_bin,
    y.bin AS second_bin,
    SUM(CAST("g"."row_count" AS DOUBLE PRECISION) * x.share * y.share) AS expected
  FROM "measu'red pairs" AS g
  JOIN (
    SELECT
      0 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE PRECISION) / CAST("w"."covered" AS DOUBLE PRECISION) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins se""x"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins se""x"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      1 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE PRECISION) / CAST("w"."covered" AS DOUBLE PRECISION) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins zip; --"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins zip; --"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      2 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE PRECISION) / CAST("w"."covered" AS DOUBLE PRECISION) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins age
of 👩"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins age
of 👩"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      3 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE PRECISION) / CAST("w"."covered" AS DOUBLE PRECISION) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins SELECT"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins SELECT"
      GROUP BY label
    ) AS w ON w.label = c.label
  ) AS x ON x.quasi = g.first_quasi AND x.label = g.first_value
  JOIN (
    SELECT
      0 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE PRECISION) / CAST("w"."covered" AS DOUBLE PRECISION) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins se""x"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins se""x"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      1 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE PRECISION) / CAST("w"."covered" AS DOUBLE PRECISION) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins zip; --"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins zip; --"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      2 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE PRECISION) / CAST("w"."covered" AS DOUBLE PRECISION) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins age
of 👩"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins age
of 👩"
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      3 AS quasi,
      c.label,
      c.bin,
      CAST("c"."covered" AS DOUBLE PRECISION) / CAST("w"."covered" AS DOUBLE PRECISION) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins SELECT"
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM "measu'red bins SELECT"
      GROUP BY label
    ) AS w ON w.label = c.label
  ) AS y ON y.quasi = g.second_quasi AND y.label = g.second_value
  GROUP BY g.first_quasi, g.second_quasi, x.bin, y.bin
) AS r
  ON r.first_quasi = o.first_quasi AND r.second_quasi = o.second_quasi
  AND r.first_bin = o.first_value AND r.second_bin = o.second_value

-- spark
CREATE TEMP VIEW `measu'red cells` AS
SELECT
  COALESCE(o.first_quasi, r.first_quasi) AS first_quasi,
  COALESCE(o.second_quasi, r.second_quasi) AS second_quasi,
  COALESCE(o.first_value, r.first_bin) AS first_bin,
  COALESCE(o.second_value, r.second_bin) AS second_bin,
  CAST(`o`.`row_count` AS DOUBLE) AS own_rows,
  r.expected
FROM `measu'red own` AS o
FULL JOIN (
  SELECT
    g.first_quasi,
    g.second_quasi,
    x.bin AS first_bin,
    y.bin AS second_bin,
    SUM(CAST(`g`.`row_count` AS DOUBLE) * x.share * y.share) AS expected
  FROM `measu'red pairs` AS g
  JOIN (
    SELECT
      0 AS quasi,
      c.label,
      c.bin,
      CAST(`c`.`covered` AS DOUBLE) / CAST(`w`.`covered` AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins se"x`
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins se"x`
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      1 AS quasi,
      c.label,
      c.bin,
      CAST(`c`.`covered` AS DOUBLE) / CAST(`w`.`covered` AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins zip; --`
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins zip; --`
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      2 AS quasi,
      c.label,
      c.bin,
      CAST(`c`.`covered` AS DOUBLE) / CAST(`w`.`covered` AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins age
of 👩`
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins age
of 👩`
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      3 AS quasi,
      c.label,
      c.bin,
      CAST(`c`.`covered` AS DOUBLE) / CAST(`w`.`covered` AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins SELECT`
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins SELECT`
      GROUP BY label
    ) AS w ON w.label = c.label
  ) AS x ON x.quasi = g.first_quasi AND x.label = g.first_value
  JOIN (
    SELECT
      0 AS quasi,
      c.label,
      c.bin,
      CAST(`c`.`covered` AS DOUBLE) / CAST(`w`.`covered` AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins se"x`
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins se"x`
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      1 AS quasi,
      c.label,
      c.bin,
      CAST(`c`.`covered` AS DOUBLE) / CAST(`w`.`covered` AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins zip; --`
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins zip; --`
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      2 AS quasi,
      c.label,
      c.bin,
      CAST(`c`.`covered` AS DOUBLE) / CAST(`w`.`covered` AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins age
of 👩`
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins age
of 👩`
      GROUP BY label
    ) AS w ON w.label = c.label
    UNION ALL
    SELECT
      3 AS quasi,
      c.label,
      c.bin,
      CAST(`c`.`covered` AS DOUBLE) / CAST(`w`.`covered` AS DOUBLE) AS share
    FROM (
      SELECT
        label,
        bin,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins SELECT`
      GROUP BY label, bin
    ) AS c
    JOIN (
      SELECT
        label,
        COUNT(DISTINCT own) AS covered
      FROM `measu'red bins SELECT`
      GROUP BY label
    ) AS w ON w.label = c.label
  ) AS y ON y.quasi = g.second_quasi AND y.label = g.second_value
  GROUP BY g.first_quasi, g.second_quasi, x.bin, y.bin
) AS r
  ON r.first_quasi = o.first_quasi AND r.second_quasi = o.second_quasi
  AND r.first_bin = o.first_value AND r.second_bin = o.second_value
