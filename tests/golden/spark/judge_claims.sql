-- Ends in an error if any claim fails, so that the shell exits with one.
SELECT CASE WHEN COUNT(*) > 0 THEN RAISE_ERROR(CONCAT('FAIL: ', COUNT(*), ' claims do not hold')) ELSE 'no claim fails' END AS verdict
FROM `kanon_claims` AS c
WHERE verdict = 'FAIL'
