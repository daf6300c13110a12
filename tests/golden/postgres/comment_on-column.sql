COMMENT ON COLUMN "main"."in ""place"."se""x" IS '; --'
