-- vacuum
VACUUM
