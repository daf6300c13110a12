-- tuples_within
CREATE TEMP TABLE "in'" AS
SELECT h.*
FROM "ho'mes" AS h
JOIN "told'" AS b ON b.region = h.region
WHERE "h"."place_0" BETWEEN "b"."low_0" AND "b"."high_0" AND "h"."place_1" BETWEEN "b"."low_1" AND "b"."high_1" AND "h"."place_2" BETWEEN "b"."low_2" AND "b"."high_2"
