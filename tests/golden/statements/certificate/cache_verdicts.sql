-- spark
CACHE TABLE `kanon_claims`
