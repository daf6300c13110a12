-- drop_index
DROP INDEX "main"."i""x"
