-- duckdb, postgres
COMMENT ON VIEW "se'en" IS 'it''s a view'

-- spark
ALTER VIEW `se'en` SET TBLPROPERTIES ('comment' = 'it\'s a view')
