"""The compatibility profiles: one row for each rule, with its value under `v4` and under `safe`.

If versions of v4 differ, a rule has further values for older versions; see `docs/versions.md`. v4's security fixes are
not rules: no version reverts them.

Rules are read through `settings.api.compat` where a request is handled. The profile itself is only used for the default
of `persistedQueries`, which is a setting of GraphQL.
"""

from collections.abc import Mapping
from dataclasses import field

from octavo.core.values import dataclass
from octavo.settings.v4_versions import REFERENCE, Version


@dataclass(frozen=True, slots=True)
class Rule:
    """The value of a rule under each profile.

    `before` has the values for versions of v4 before the given one, oldest first.
    """

    v4: str
    safe: str
    before: Mapping[Version, str] = field(default_factory=dict)

    def under(self, profile: str, version: Version = REFERENCE) -> str:
        if profile != "v4":
            return self.safe
        return next((value for end, value in self.before.items() if version < end), self.v4)

    @property
    def values(self) -> set[str]:
        """Return all values that are a default of the rule in some profile or version."""
        return {self.v4, self.safe, *self.before.values()}


RULES: Mapping[str, Rule] = {
    "unknown_operators": Rule(v4="ignore", safe="refuse"),
    "unknown_populate": Rule(v4="drop", safe="refuse"),
    "zone_components": Rule(v4="any", safe="allowed"),
    "drafts_by_id": Rule(v4="visible", safe="preview"),
    "future_publication": Rule(v4="shown", safe="hidden"),
    "cache_control": Rule(v4="none", safe="private"),
    "tokens_after_password_change": Rule(v4="valid", safe="invalid"),
    "unverified_emails": Rule(v4="accept", safe="refuse"),
    "empty_answers": Rule(v4="notFound", safe="noContent"),
    "cors": Rule(v4="reflect", safe="exact", before={(4, 3, 4): "open"}),
    "star_origins": Rule(v4="none", safe="none", before={(4, 24, 0): "everyone"}),
    "graphql_forms": Rule(v4="accept", safe="preflight"),
    "graphql_url_encoded": Rule(v4="accept", safe="refuse"),
    "graphql_logins": Rule(v4="unlimited", safe="limited"),
    "graphql_guards": Rule(v4="own", safe="shared"),
    "localization_guards": Rule(v4="own", safe="shared"),
    "error_bodies": Rule(v4="mixed", safe="json"),
    "relation_errors": Rule(v4="flat", safe="withPath"),
    "image_parameters": Rule(v4="ignore", safe="refuse"),
    "image_types": Rule(v4="declared", safe="checked"),
    "token_expiry": Rule(v4="optional", safe="required"),
    "admin_tokens": Rule(v4="long", safe="short"),
    "first_administrator": Rule(v4="anyone", safe="code"),
    "shared_values": Rule(v4="shown", safe="always"),
    "linked_values": Rule(v4="shown", safe="checked"),
    "webhook_addresses": Rule(v4="unchecked", safe="checked"),
    "webhook_bodies": Rule(v4="request", safe="webhook"),
    "mails_by_administrators": Rule(v4="everyone", safe="permitted"),
    "account_states": Rule(v4="shown", safe="hidden"),
    "mailed_codes": Rule(v4="plain", safe="hashed"),
    "malformed_authorization": Rule(v4="anonymous", safe="refuse"),
    "linked_files": Rule(v4="any", safe="permitted"),
    "replaced_files": Rule(v4="upload", safe="destroy"),
    "replaced_kinds": Rule(v4="any", safe="same"),
    "heic_formats": Rule(v4="none", safe="jpeg"),
    "registration_fields": Rule(v4="all", safe="listed"),
    "validation": Rule(v4="loose", safe="strict"),
    "list_columns": Rule(v4="first", safe="editorial"),
    "ids": Rule(v4="numbers", safe="digits"),
    "query_strings": Rule(v4="listed", safe="listed", before={(4, 26, 2): "merged"}),
    "populate_parameters": Rule(v4="refuse", safe="refuse", before={(4, 26, 2): "drop"}),
    "unknown_parameters": Rule(v4="refuse", safe="refuse", before={(4, 8, 0): "refuse", (4, 13, 0): "drop"}),
    "morph_relations": Rule(v4="plain", safe="plain", before={(4, 14, 0): "wrapped"}),
    "field_lists": Rule(v4="whole", safe="whole", before={(4, 8, 0): "split"}),
    "own_role": Rule(v4="checked", safe="checked", before={(4, 2, 2): "shown"}),
}
