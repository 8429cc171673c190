from django.urls import include, path

urlpatterns = [path("", include("labeling.urls"))]
