-- commit
COMMIT
