-- revoke
REVOKE ALL ON TABLE "pub lic"."o'ther" FROM "rea""der"
