"""What shows or recounts a plan or a release: certificate, report, risk, quality, attacks, explanations."""
