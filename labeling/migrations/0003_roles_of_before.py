from django.conf import settings
from django.db import migrations
from django.utils import timezone


def keep_what_people_could_do(apps, schema_editor):
    """Before there were roles, everybody who could sign in labelled everywhere; whoever made a corpus owns it."""
    person_model = apps.get_model(*settings.AUTH_USER_MODEL.split('.'))
    membership = apps.get_model('labeling', 'Membership')
    now = timezone.now()
    labellers = list(
        person_model.objects.filter(is_active=True, is_staff=False).order_by('pk').values_list('pk', flat=True)
    )
    for corpus in apps.get_model('labeling', 'Corpus').objects.order_by('pk').iterator():
        roles = dict.fromkeys(labellers, 'labeller')
        if corpus.created_by_id is not None:
            roles[corpus.created_by_id] = 'owner'
        membership.objects.bulk_create(
            [membership(corpus=corpus, person_id=person, role=role, added_at=now) for person, role in roles.items()],
            batch_size=100,
        )


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0002_roles'),
    ]

    operations = [
        migrations.RunPython(keep_what_people_could_do, migrations.RunPython.noop),
    ]
