COMMENT ON INDEX "main"."i""x" IS 'x'
