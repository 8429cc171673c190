from django.urls import URLPattern

app_name = "labeling"
urlpatterns: list[URLPattern] = []
