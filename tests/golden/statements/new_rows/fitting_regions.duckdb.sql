-- fitting_regions
CREATE TEMP TABLE "fits'" AS
SELECT b.*
FROM "told'" AS b
JOIN (
  SELECT g."low_of_0", g."high_of_0", g."label_of_1", g."label_of_2"
  FROM "in'" AS h
  JOIN "told'" AS g ON g.region = h.region
  GROUP BY g."low_of_0", g."high_of_0", g."label_of_1", g."label_of_2"
  HAVING COUNT(DISTINCT "h"."entity") >= 2 AND COUNT(DISTINCT "h"."spread_0") >= 2 AND COUNT(DISTINCT "h"."spread_1") >= 1
) AS c ON "b"."low_of_0" IS NOT DISTINCT FROM "c"."low_of_0" AND "b"."high_of_0" IS NOT DISTINCT FROM "c"."high_of_0" AND "b"."label_of_1" IS NOT DISTINCT FROM "c"."label_of_1" AND "b"."label_of_2" IS NOT DISTINCT FROM "c"."label_of_2"
