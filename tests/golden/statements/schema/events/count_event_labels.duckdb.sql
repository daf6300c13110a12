-- count_event_labels
SELECT COUNT(DISTINCT "m"."value") AS "labels_1", COUNT(DISTINCT "m"."label_1") AS "labels_2"
FROM "wa;rds map" AS m
