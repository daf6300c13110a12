-- penalty_of_intervals
SELECT COALESCE(SUM(CAST("p"."row_count" AS DOUBLE) * p.penalty), 0) AS penalty
FROM (
  SELECT
    w.label,
    MAX(w.row_count) AS row_count,
    CASE
      WHEN MAX(w.cut) = 0 THEN CASE WHEN w.label = 'v*' THEN 1 ELSE 0 END
      WHEN COUNT(w.spot) < 2 THEN 1
      WHEN MAX(d.span) > 0 THEN LEAST((MAX(w.spot) - MIN(w.spot)) / MAX(d.span), 1)
      ELSE 0
    END AS penalty
  FROM (
    SELECT
      v.label,
      v.row_count,
      v.cut,
      CAST(CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS DOUBLE) AS spot
    FROM (
      SELECT
        label,
        row_count,
        cut,
        CASE WHEN cut > 0 THEN SUBSTR(label, 2 + 1, cut - 2 - 1) END AS value
      FROM (
        SELECT
          "key_2" AS label,
          SUM(row_count) AS row_count,
          POSITION(', ' IN "key_2") AS cut
        FROM "measu'red classes"
        GROUP BY "key_2"
      ) AS g
      UNION ALL
      SELECT
        label,
        row_count,
        cut,
        CASE WHEN cut > 0 THEN SUBSTR(label, cut + 2, LENGTH(label) - cut - 1 - 1) END AS value
      FROM (
        SELECT
          "key_2" AS label,
          SUM(row_count) AS row_count,
          POSITION(', ' IN "key_2") AS cut
        FROM "measu'red classes"
        GROUP BY "key_2"
      ) AS g
    ) AS v
  ) AS w
  CROSS JOIN (
    SELECT MAX(spot) - MIN(spot) AS span
    FROM (
      SELECT CAST(CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS DOUBLE) AS spot
      FROM "domain age
of 👩" AS v
    ) AS s
  ) AS d
  GROUP BY w.label
) AS p
