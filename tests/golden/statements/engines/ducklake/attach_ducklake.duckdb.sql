-- attach_ducklake
ATTACH 'ducklake:ca''talog' AS "la""ke" (READ_ONLY, CREATE_IF_NOT_EXISTS false)
