-- postgres
DROP TRIGGER "pa""rt" ON "pub lic"."o'ther"
