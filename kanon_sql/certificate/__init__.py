"""Certificates: what was measured on a release, signed and verified again."""
