-- duckdb, postgres
CREATE TABLE "script's" AS
SELECT "na'me", "s.s.n", "se""x", "zip; --", "age
of 👩_low", "age
of 👩_high", "SELECT", "dis'ease", "ward 🏥", "vis.it"
FROM "staged'" AS t
WHERE EXISTS (SELECT 1 FROM "verdict; --" AS v)

-- spark
CREATE TABLE `script's`
USING parquet
AS
SELECT `na'me`, `s.s.n`, `se"x`, `zip; --`, `age
of 👩_low`, `age
of 👩_high`, `SELECT`, `dis'ease`, `ward 🏥`, `vis.it`
FROM `staged'` AS t
WHERE (SELECT v.verdict FROM `verdict; --` AS v) = 1
