-- candidate_classes
CREATE TEMP TABLE "linked" AS
SELECT
  "c_0".part AS "part_0",
  "c_0".child AS "child_0",
  "c_1".part AS "part_1",
  "c_1".child AS "child_1",
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM "tup;les" AS p
JOIN "cu't 2" AS "c_0" ON "c_0".place = p."place_0"
JOIN "cu't 3" AS "c_1" ON "c_1".place = p."place_1"
GROUP BY 1, 2, 3, 4
