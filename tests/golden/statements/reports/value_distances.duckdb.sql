-- value_distances
SELECT
  distance_step,
  share_step,
  different,
  COUNT(*) AS classes,
  SUM(row_count) AS row_count,
  MAX(distance) AS distance,
  MAX(share) AS share
FROM (
  SELECT
    row_count,
    CASE WHEN different < 9 THEN different ELSE 9 END AS different,
    CAST("moved" AS DOUBLE) / CAST("whole" AS DOUBLE) AS distance,
    CAST("highest" AS DOUBLE) / CAST("row_count" AS DOUBLE) AS share,
    CAST(FLOOR(20 * CAST("moved" AS DOUBLE) / CAST("whole" AS DOUBLE)) AS BIGINT) AS distance_step,
    CAST(FLOOR(20 * CAST("highest" AS DOUBLE) / CAST("row_count" AS DOUBLE)) AS BIGINT) AS share_step
  FROM (
    SELECT
      row_count,
      different,
      highest,
      apart + row_count * (all_rows - known) AS moved,
      2 * row_count * all_rows AS whole
    FROM (
      SELECT
        SUM(v.row_count) AS row_count,
        COUNT(*) AS different,
        MAX(v.row_count) AS highest,
        MAX(c.all_rows) AS all_rows,
        SUM(a.row_count) AS known,
        SUM(ABS(v.row_count * c.all_rows - a.row_count * c.row_count)) AS apart
      FROM "report'ed values" AS v
      JOIN (
        SELECT
          value,
          SUM(row_count) AS row_count
        FROM "report'ed values" AS w
        GROUP BY value
      ) AS a ON a.value = v.value
      JOIN (
        SELECT
          "part_0",
          "part_1",
          "part_2",
          "part_3",
          "part_4",
          SUM(row_count) AS row_count,
          SUM(SUM(row_count)) OVER () AS all_rows
        FROM "report'ed values" AS w
        GROUP BY "part_0", "part_1", "part_2", "part_3", "part_4"
      ) AS c ON "v"."part_0" IS NOT DISTINCT FROM "c"."part_0" AND "v"."part_1" IS NOT DISTINCT FROM "c"."part_1" AND "v"."part_2" IS NOT DISTINCT FROM "c"."part_2" AND "v"."part_3" IS NOT DISTINCT FROM "c"."part_3" AND "v"."part_4" IS NOT DISTINCT FROM "c"."part_4"
      GROUP BY "v"."part_0", "v"."part_1", "v"."part_2", "v"."part_3", "v"."part_4"
    ) AS s
  ) AS d
) AS e
GROUP BY distance_step, share_step, different
ORDER BY distance_step, share_step, different
