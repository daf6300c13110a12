-- The yardstick: one GROUP BY of the raw quasi-identifiers, whichever they are.
SELECT COUNT(*) AS distinct_tuples, SUM(n) AS row_count
FROM (SELECT *, COUNT(*) AS n FROM quasi GROUP BY ALL) AS classes
