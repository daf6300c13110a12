COMMENT ON TABLE "main"."in ""place" IS 'it''s'
