-- The release of a plan from a table with the columns that it was made for; an error, and no row, where that violates the
-- policy: CREATE TABLE safe AS FROM kanon_apply('visits').
CREATE OR REPLACE MACRO kanon_apply(src) AS TABLE
WITH "kanon_input" AS (
  SELECT * FROM query('FROM ' || src)
), $query;
