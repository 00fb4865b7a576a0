"""Derive the names of files and tables from display names."""

from pluralizer import Pluralizer

from octavo.content.media.file_names import slug

_plurals = Pluralizer()  # type: ignore[no-untyped-call]


def name_slug(name: str) -> str:
    """Return the part of a UID, which is also a folder or file name, for a display name.

    >>> name_slug("Nut Case"), name_slug("MetaSocial")
    ('nut-case', 'meta-social')
    """
    return table_name(name).replace("_", "-")


def table_name(name: str) -> str:
    """Return the table name for a name.

    >>> table_name("big-ones")
    'big_ones'
    """
    return slug(name).lower()


def component_table(category: str, name: str) -> str:
    """Return the table name of a component. Its plural is v4's, so that existing tables are found.

    >>> component_table("shared", "Meta Social"), component_table("shared", "Box")
    ('components_shared_meta_socials', 'components_shared_boxes')
    """
    return f"components_{table_name(category)}_{table_name(str(_plurals.pluralize(name)))}"
