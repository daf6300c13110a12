"""Certificates: counts of a release as a document that can be signed, and verified against the release later."""
