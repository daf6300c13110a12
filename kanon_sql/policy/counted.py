"""Whether a channel counts all that a policy asks: the question that each asks before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, InputError
from kanon_sql.privacy.demands import uncounted

if TYPE_CHECKING:
    from kanon_sql.policy.model import Policy
    from kanon_sql.privacy.privacy_model import Channel


def uncounted_problems(policy: Policy, channel: Channel) -> list[Fault]:
    """List the privacy models of a policy that a channel does not count, and why not."""
    reasons = dict.fromkeys(uncounted(policy.privacy, channel))
    return [policy.fault("privacy", f"{channel} {why}") for why in reasons]


def check_counted(policy: Policy, channel: Channel) -> None:
    """Refuse a policy with a model that a channel does not count."""
    if faults := uncounted_problems(policy, channel):
        raise InputError(policy.subject, faults)
