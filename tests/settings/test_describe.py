"""The output of `octavo config check`."""

from json import dumps
from pathlib import Path

from octavo.settings import Described, describe, load_settings
from octavo.settings.model import TABLES


def test_keys_with_value_and_source(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {"PORT": "8080", "OCTAVO_API__COMPAT__PROFILE": "safe"})
    rows = describe(settings)
    assert len(rows) == sum(1 for table in TABLES.values() for _ in table.rows())
    assert [row for row in rows if row.source != "default"] == [
        Described("config/server.toml", "port", 8080, "PORT"),
        Described("config/api.toml", "compat.profile", "safe", "OCTAVO_API__COMPAT__PROFILE"),
        Described("config/api.toml", "compat.unknownOperators", "refuse", "profile safe"),
        Described("config/api.toml", "compat.unknownPopulate", "refuse", "profile safe"),
        Described("config/api.toml", "compat.zoneComponents", "allowed", "profile safe"),
        Described("config/api.toml", "compat.draftsById", "preview", "profile safe"),
        Described("config/api.toml", "compat.futurePublication", "hidden", "profile safe"),
        Described("config/api.toml", "compat.cacheControl", "private", "profile safe"),
        Described("config/api.toml", "compat.tokensAfterPasswordChange", "invalid", "profile safe"),
        Described("config/api.toml", "compat.unverifiedEmails", "refuse", "profile safe"),
        Described("config/api.toml", "compat.emptyAnswers", "noContent", "profile safe"),
        Described("config/api.toml", "compat.cors", "exact", "profile safe"),
        Described("config/api.toml", "compat.starOrigins", "none", "profile safe"),
        Described("config/api.toml", "compat.graphqlForms", "preflight", "profile safe"),
        Described("config/api.toml", "compat.graphqlUrlEncoded", "refuse", "profile safe"),
        Described("config/api.toml", "compat.graphqlLogins", "limited", "profile safe"),
        Described("config/api.toml", "compat.graphqlGuards", "shared", "profile safe"),
        Described("config/api.toml", "compat.localizationGuards", "shared", "profile safe"),
        Described("config/api.toml", "compat.errorBodies", "json", "profile safe"),
        Described("config/api.toml", "compat.relationErrors", "withPath", "profile safe"),
        Described("config/api.toml", "compat.imageParameters", "refuse", "profile safe"),
        Described("config/api.toml", "compat.imageTypes", "checked", "profile safe"),
        Described("config/api.toml", "compat.tokenExpiry", "required", "profile safe"),
        Described("config/api.toml", "compat.adminTokens", "short", "profile safe"),
        Described("config/api.toml", "compat.firstAdministrator", "code", "profile safe"),
        Described("config/api.toml", "compat.sharedValues", "always", "profile safe"),
        Described("config/api.toml", "compat.linkedValues", "checked", "profile safe"),
        Described("config/api.toml", "compat.webhookAddresses", "checked", "profile safe"),
        Described("config/api.toml", "compat.webhookBodies", "webhook", "profile safe"),
        Described("config/api.toml", "compat.mailsByAdministrators", "permitted", "profile safe"),
        Described("config/api.toml", "compat.accountStates", "hidden", "profile safe"),
        Described("config/api.toml", "compat.mailedCodes", "hashed", "profile safe"),
        Described("config/api.toml", "compat.malformedAuthorization", "refuse", "profile safe"),
        Described("config/api.toml", "compat.linkedFiles", "permitted", "profile safe"),
        Described("config/api.toml", "compat.replacedFiles", "destroy", "profile safe"),
        Described("config/api.toml", "compat.replacedKinds", "same", "profile safe"),
        Described("config/api.toml", "compat.heicFormats", "jpeg", "profile safe"),
        Described("config/api.toml", "compat.registrationFields", "listed", "profile safe"),
        Described("config/api.toml", "compat.validation", "strict", "profile safe"),
        Described("config/api.toml", "compat.queryStrings", "listed", "profile safe"),
        Described("config/api.toml", "compat.populateParameters", "refuse", "profile safe"),
        Described("config/api.toml", "compat.unknownParameters", "refuse", "profile safe"),
        Described("config/api.toml", "compat.morphRelations", "plain", "profile safe"),
        Described("config/api.toml", "compat.fieldLists", "whole", "profile safe"),
        Described("config/api.toml", "compat.ownRole", "checked", "profile safe"),
        Described("config/api.toml", "compat.listColumns", "editorial", "profile safe"),
        Described("config/api.toml", "compat.ids", "digits", "profile safe"),
        Described("config/plugins.toml", "graphql.config.persistedQueries", False, "profile safe"),
    ]


def test_secrets_are_hidden(tmp_path: Path) -> None:
    environment = {
        "APP_KEYS": "hush,hush",
        "JWT_SECRET": "hush",
        "DATABASE_URL": "postgres://u:hush@h/n",
        "OCTAVO_PLUGINS__MAIL__CONFIG__API_KEY": "hush",
        "OCTAVO_PLUGINS__MAIL__CONFIG__FROM": "ann@example.com",
    }
    rows = describe(load_settings(tmp_path, environment))
    assert "hush" not in dumps(rows)
    shown = {row.key: row.value for row in rows if row.source != "default"}
    assert shown["appKeys"] == shown["password"] == shown["users-permissions.config.jwtSecret"] == "***"
    assert shown["<plugin>"] == {"mail": {"config": {"apiKey": "***", "from": "ann@example.com"}}}
