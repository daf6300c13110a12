-- after_merging
CREATE TEMP TABLE "mer'ged" AS
SELECT
  r.leaf,
  m.merged AS region,
  "r"."place_0", "r"."place_1", "r"."place_2", "r"."spread_0", "r"."spread_1", "r"."entity",
  r.row_count
FROM "ru'ns" AS r
JOIN "what runs beco'me" AS m ON m.region = r.region
