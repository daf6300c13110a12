-- suppress_cells
CREATE TEMP TABLE "blanks of" AS
SELECT
  b."key_1",
  b."key_2",
  b.members,
  b.suppressed + COALESCE(w.bit, 0) AS suppressed
FROM "outliers of" AS b
LEFT JOIN (
  SELECT
    n.*,
    ROW_NUMBER() OVER (PARTITION BY "key_1", "key_2" ORDER BY n.outliers DESC, n.bit) AS place
  FROM (
    SELECT
      t."key_1",
      t."key_2",
      v.bit,
      COUNT(*) AS outliers
    FROM "outliers of" AS t
    CROSS JOIN (VALUES (CAST(1 AS BIGINT)), (CAST(2 AS BIGINT)), (CAST(4 AS BIGINT)), (CAST(8 AS BIGINT))) AS v (bit)
    WHERE (t.members & t.suppressed) = 0 AND (t.members & v.bit) <> 0
    GROUP BY t."key_1", t."key_2", v.bit
  ) AS n
) AS w
  ON w.place = 1 AND w."key_1" = b."key_1" AND w."key_2" = b."key_2"
