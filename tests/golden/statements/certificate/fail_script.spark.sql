-- fail_script
-- Ends in an error if any claim fails, so that the shell exits with an error.
SELECT CASE WHEN failed > 0 THEN RAISE_ERROR(CONCAT('FAIL: ', failed, ' claims do not hold'))
  WHEN unchecked > 0 THEN CONCAT('no claim fails, and ', unchecked, ' cannot be checked here') ELSE 'every claim holds' END AS verdict
FROM (
  SELECT COUNT(CASE WHEN verdict = 'FAIL' THEN 1 END) AS failed, COUNT(CASE WHEN verdict = 'UNCHECKED' THEN 1 END) AS unchecked
  FROM `kanon_claims` AS c
) AS v
