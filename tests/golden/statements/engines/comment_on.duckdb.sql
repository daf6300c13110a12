-- comment_on-nothing
COMMENT ON TABLE "main"."in ""place" IS NULL
