DROP INDEX "main"."i""x"
