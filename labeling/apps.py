from django.apps import AppConfig
from django.db.models.signals import post_migrate


class LabelingConfig(AppConfig):
    """The app: rows, pages and jobs around the method in ``dedup``."""

    name = "labeling"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have text ordered alike on every database."""
        from labeling.models.code_points import order_by_code_points

        post_migrate.connect(order_by_code_points, sender=self, dispatch_uid="order by code points")
