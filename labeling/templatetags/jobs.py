"""The state of a job, in words and as a class of the stylesheet."""

from datetime import datetime

from django import template

from labeling.models import Job

register = template.Library()


@register.filter
def state_words(job: Job, at: datetime) -> str:
    """What a job's badge says: a job whose worker died is interrupted, whatever its row still says."""
    return job.display_state(at)


@register.filter
def state_class(job: Job, at: datetime) -> str:
    """The class of a job's badge."""
    return "interrupted" if job.is_stale(at) else str(job.state)
