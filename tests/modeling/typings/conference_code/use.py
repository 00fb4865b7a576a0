"""Project code as type checkers see it: every line is valid, or must be refused (`type: ignore`). It never runs.

A valid line that is ignored is an error itself, which mypy and pyright report.
"""

from content import App, Speaker, Talk, TalkInput, typed

from octavo.sdk import App as UntypedApp


def show(*values: object) -> None:
    """Accept values of any type."""


async def read(app: App) -> list[str]:
    talks = app.entries("api::talk.talk")
    found = await talks.find_many(
        filters={
            "title": {"$containsi": "bread"},
            "views": {"$gt": 10},
            "speaker": {"name": "Ann", "talks": {"level": "hard"}},
            "$or": [{"id": [1, 2]}, {"speaker": 3}, {"$not": {"title": ["a", "b"]}}],
        },
        sort=["title:desc", "speaker.name"],
        fields=["title", "level", "weird-name"],
        populate=["speaker"],
        limit=10,
        publication_state="live",
    )
    for talk in found:
        speaker = talk.get("speaker")
        if speaker is not None:
            name: str = speaker["name"]  # a speaker is never a draft
            show(name, talk["level"] == "easy", talk["id"] + 1)
        _ = talk["title"].upper()  # type: ignore
        _ = talk["secret"]  # type: ignore
        _ = talk["level"] == "neither"  # type: ignore
    first = await talks.find_first(filters={"id": 1}, populate={"speaker": {"fields": ["name"], "populate": "*"}})
    show(first["id"])  # type: ignore
    await talks.find_one(1, populate={"body": {"on": {"talk.quote": {"populate": "*"}}}, "parts": True})
    return [talk["title"] or "" for talk in found]


async def refused(app: App) -> None:
    talks, speakers = app.entries("api::talk.talk"), app.entries("api::speaker.speaker")
    app.entries("api::tlak.talk")  # type: ignore
    await talks.find_many(filters={"nope": 1})  # type: ignore
    await talks.find_many(filters={"title": {"$nope": "x"}})  # type: ignore
    await talks.find_many(filters={"title": 1})  # type: ignore
    await talks.find_many(filters={"speaker": {"nope": 1}})  # type: ignore
    await talks.find_many(populate=["nope"])  # type: ignore
    await talks.find_many(populate={"speaker": {"populate": ["nope"]}})  # type: ignore
    await talks.find_many(fields=["nope"])  # type: ignore
    await talks.find_many(publication_state="both")  # type: ignore
    await talks.find_many(nope=1)  # type: ignore
    await talks.create({"nope": 1})  # type: ignore
    await talks.create({"level": "neither"})  # type: ignore
    await talks.create({"body": [{"__component": "talk.part", "nope": 1}]})  # type: ignore
    await speakers.create({})  # type: ignore
    await speakers.update(1, {"name": 1})  # type: ignore


async def write(app: UntypedApp) -> Talk:
    speakers = typed(app).entries("api::speaker.speaker")
    speaker: Speaker = await speakers.create({"name": "Ann"})
    await speakers.update(speaker["id"], {})
    data: TalkInput = {"title": "Bread", "speaker": speaker["id"], "secret": "told", "views": "12", "locale": "fr"}
    talks = typed(app).entries("api::talk.talk")
    made = await talks.create({**data, "body": [{"__component": "talk.part", "minutes": 2.5}]}, populate="body")
    for item in made.get("body", []):
        show(item["minutes"] if item["__component"] == "talk.part" else item["text"])
    return await talks.update(made["id"], {"speaker": {"connect": [1]}, "publishedAt": None})
