-- postgres
DROP RULE "pa""rt" ON "pub lic"."o'ther"
