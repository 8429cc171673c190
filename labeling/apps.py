from django.apps import AppConfig


class LabelingConfig(AppConfig):
    """The app: rows, pages and jobs around the method in ``dedup``."""

    name = "labeling"
    default_auto_field = "django.db.models.BigAutoField"
