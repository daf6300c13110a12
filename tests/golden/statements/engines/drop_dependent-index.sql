-- postgres
DROP INDEX "pub lic"."o'ther"
