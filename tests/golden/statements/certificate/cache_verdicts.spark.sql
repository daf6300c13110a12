-- cache_verdicts
CACHE TABLE `kanon_claims`
