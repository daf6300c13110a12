-- postgres
DROP POLICY "pa""rt" ON "pub lic"."o'ther"
