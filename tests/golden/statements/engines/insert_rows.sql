-- duckdb, postgres
INSERT INTO "main"."in ""place" ("se""x", "zip; --")
SELECT "se""x", "zip; --"
FROM "staged'" AS t

-- spark
INSERT INTO `main`.`in "place` (`se"x`, `zip; --`)
SELECT `se"x`, `zip; --`
FROM `staged'` AS t
