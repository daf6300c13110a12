-- checkpoint
CHECKPOINT "memory"
