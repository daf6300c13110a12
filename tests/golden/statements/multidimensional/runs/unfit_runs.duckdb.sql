-- unfit_runs
CREATE TEMP TABLE "un'fit runs" AS
SELECT region
FROM "ru'ns" AS w
GROUP BY region
HAVING NOT (COUNT(DISTINCT "entity") >= 2 AND COUNT(DISTINCT "spread_0") >= 2 AND COUNT(DISTINCT "spread_1") >= 1)
