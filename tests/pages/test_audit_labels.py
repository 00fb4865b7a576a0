"""Every operation in the audit log has a label on the pages."""

import json
import re
from pathlib import Path

from octavo.accounts.administrators.audit import ROTATED_SECRET
from octavo.api.admin.contract import rows

ADMIN = Path(__file__).parents[2] / "admin/src"
LABEL = re.compile(r"^  '([A-Z]+ /[^']*)': '([^']+)',$", re.MULTILINE)


def test_audited_operations_have_labels_in_all_languages() -> None:
    text = (ADMIN / "settings/house/audited.ts").read_text("utf-8")
    assert f"'{ROTATED_SECRET} '" in text
    labels = dict(LABEL.findall(text))
    assert {*labels} == {row.name for row in rows() if not row.public and not row.only_reads}
    for language in ("en", "de"):
        messages = json.loads((ADMIN / f"messages/{language}/settings.json").read_text("utf-8"))
        assert {*labels.values()} <= messages.keys()
