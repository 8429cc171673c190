"""Loaded by pytest before the settings: tests never touch the data folder of a running installation."""

import atexit
import os
import shutil
import tempfile

FOLDER = tempfile.mkdtemp(prefix="neardup-tests-")
os.environ["NEARDUP_DATA_DIR"] = FOLDER
os.environ["NEARDUP_SECRET_KEY"] = "a key that only the tests know"
for name in ("NEARDUP_ALLOWED_HOSTS", "NEARDUP_DEBUG", "NEARDUP_BEHIND_TLS_PROXY", "NEARDUP_UPLOAD_LIMIT_MB"):
    os.environ.pop(name, None)
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
