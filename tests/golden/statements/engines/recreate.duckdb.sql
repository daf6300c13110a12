-- recreate
CREATE INDEX "i""x" ON main."in ""place"("se""x")
