CACHE TABLE `kanon_claims`
