-- released_before
SELECT COALESCE(MAX(number), 0) AS number
FROM "releases; --" AS r
WHERE released_at <= '2026-01-02'
