"""Names of files and tables, made of names for people."""

from pluralizer import Pluralizer

from octavo.content.media.file_names import slug

_plurals = Pluralizer()  # type: ignore[no-untyped-call]


def name_slug(name: str) -> str:
    """The part of a UID, and the name of a folder or file, that a name gives.

    >>> name_slug("Nut Case"), name_slug("MetaSocial")
    ('nut-case', 'meta-social')
    """
    return table_name(name).replace("_", "-")


def table_name(name: str) -> str:
    """The table that a name gives.

    >>> table_name("big-ones")
    'big_ones'
    """
    return slug(name).lower()


def component_table(category: str, name: str) -> str:
    """The table of a component. What is made of such a name has to be found again, so its plural is v4's own.

    >>> component_table("shared", "Meta Social"), component_table("shared", "Box")
    ('components_shared_meta_socials', 'components_shared_boxes')
    """
    return f"components_{table_name(category)}_{table_name(str(_plurals.pluralize(name)))}"
