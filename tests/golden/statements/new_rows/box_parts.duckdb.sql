-- box_parts
CREATE TEMP TABLE "parted'" AS
SELECT
  b.region,
  b."low_0",
  b."high_0",
  b."low_1",
  b."high_1",
  b."low_2",
  b."high_2",
  b.node AS parent,
  b.node * 4 + NTILE(4) OVER (
    PARTITION BY b.node
    ORDER BY CASE a.axis WHEN 0 THEN b."low_0" + b."high_0" WHEN 1 THEN b."low_1" + b."high_1" WHEN 2 THEN b."low_2" + b."high_2" END, b.region
  ) - 1 AS node
FROM (
  SELECT
    region,
    "low_0",
    "high_0",
    "low_1",
    "high_1",
    "low_2",
    "high_2",
    CAST(0 AS BIGINT) AS node
  FROM "told'" AS g
) AS b
JOIN (
  SELECT
    node,
    CASE GREATEST(0, "spread_0", "spread_1", "spread_2") WHEN "spread_0" THEN 0 WHEN "spread_1" THEN 1 WHEN "spread_2" THEN 2 END AS axis
  FROM (
    SELECT
      node,
      CAST("s"."apart_0" AS DOUBLE) / CAST("s"."wide_0" AS DOUBLE) AS "spread_0",
      CAST("s"."apart_1" AS DOUBLE) / CAST("s"."wide_1" AS DOUBLE) AS "spread_1",
      CAST("s"."apart_2" AS DOUBLE) / CAST("s"."wide_2" AS DOUBLE) AS "spread_2"
    FROM (
      SELECT
        MAX("low_0" + "high_0") - MIN("low_0" + "high_0") AS "apart_0",
        SUM("high_0" - "low_0" + 1) AS "wide_0",
        MAX("low_1" + "high_1") - MIN("low_1" + "high_1") AS "apart_1",
        SUM("high_1" - "low_1" + 1) AS "wide_1",
        MAX("low_2" + "high_2") - MIN("low_2" + "high_2") AS "apart_2",
        SUM("high_2" - "low_2" + 1) AS "wide_2",
        CAST(0 AS BIGINT) AS node
      FROM "told'" AS g
    ) AS s
  ) AS q
) AS a ON a.node = b.node
