-- bounds_of
CREATE TEMP TABLE "bou'nds" AS
SELECT region, "low_0", "high_0", "low_1", "high_1", "low_2", "high_2", row_count
FROM "re'gions" AS r
