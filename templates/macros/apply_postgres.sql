-- Makes the table `release` of a plan from a table with the columns that it was made for; an error, and no table, where that
-- violates the policy: SELECT kanon_apply('visits', 'safe').
CREATE OR REPLACE FUNCTION kanon_apply(src regclass, release text) RETURNS void
LANGUAGE plpgsql AS $kanon_of_plan$
BEGIN
  EXECUTE 'CREATE TABLE ' || (
    SELECT string_agg(quote_ident(part), '.') FROM unnest(parse_ident(release)) AS u (part)
  ) || ' AS WITH "kanon_input" AS (SELECT * FROM ' || src || '), ' || $kanon_query$$query
  $kanon_query$;
END
$kanon_of_plan$;
