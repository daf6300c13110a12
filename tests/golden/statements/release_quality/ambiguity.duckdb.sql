-- ambiguity
SELECT SUM(CAST("c"."row_count" AS DOUBLE) * CAST("l0"."leaves" AS DOUBLE) * CAST("l1"."leaves" AS DOUBLE) * CAST("l2"."leaves" AS DOUBLE) * CAST("l3"."leaves" AS DOUBLE)) AS ambiguity
FROM "measu'red classes" AS c
JOIN "measu'red labels se""x" AS "l0" ON "l0"."label" = "c"."key_0"
JOIN "measu'red labels zip; --" AS "l1" ON "l1"."label" = "c"."key_1"
JOIN "measu'red labels age
of 👩" AS "l2" ON "l2"."label" = "c"."key_2"
JOIN "measu'red labels SELECT" AS "l3" ON "l3"."label" = "c"."key_3"
