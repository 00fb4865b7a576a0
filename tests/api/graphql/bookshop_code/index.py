"""Project code of the bookshop: resolvers, policies and middlewares of every kind, with and without errors."""

from octavo import EntryPage, PolicyError, ValidationError

from .words import GREETING  # noqa: TID252 - as projects do

BOOK, AUTHOR, VAULT = "api::book.book", "api::author.author", "api::vault.vault"
OPEN = {"auth": False}

TYPE_DEFS = """
type Shelf { name: String! books: [BookEntity!] first: Book tallest: BookEntityResponse mood: Mood owner: Owner }
enum Mood { CALM BUSY }
union Owner = Person | Company
type Person { name: String }
type Company { vat: String }
input ShelfInput { name: String! size: Int = 3 }

type Query {
  greeting: String
  shelf(input: ShelfInput!): Shelf
  newest: BookEntityResponse
  numbered(ids: [ID!]!): BookEntityResponseCollection
  paged: BookEntityResponseCollection
  vaultOfAll: VaultEntityResponse
  wrong: BookEntityResponse
  otherKind: BookEntityResponse
  broken: String
  noJson: JSON
  refused: String
  required: String!
  byName: String
}
type Mutation { rename(id: ID!, title: String!): BookEntityResponse }
extend type Book { secretLength: Int seenBy: String parentKeys: [String] }
extend type Author { initials: String }
extend type ComponentShopChapter { words: Int }
extend type BookEntity { label: String }
"""


def register(app):
    books = app.entries(BOOK)

    async def shelf(parent, args):
        found = await books.find_many(filters={"pages": {"$lte": 50}}, sort="pages:desc", limit=args["input"]["size"])
        return {
            "name": args["input"]["name"],
            "books": found,
            "first": found[-1]["id"],
            "tallest": found[0],
            "mood": "CALM",
        }

    async def rename(parent, args):
        return await books.update(int(args["id"]), {"title": args["title"]})

    async def newest():
        return await books.find_first(sort="pages:desc", publication_state="live", populate=["vaults"])

    def secret_length(parent):
        return len(parent["secretNote"])

    async def seen_by(parent, args, context):
        return context.actor.kind

    def broken():
        raise RuntimeError("a secret of the code")

    def refused():
        raise ValidationError(
            "Not like that", {"errors": [{"path": ["refused"], "message": "no", "name": "ValidationError"}]}
        )

    app.plugin("graphql").service("extension").use(
        {
            "type_defs": TYPE_DEFS,
            "resolvers": {
                "Query": {
                    "greeting": lambda: GREETING,
                    "shelf": shelf,
                    "newest": newest,
                    "numbered": lambda parent, args: args["ids"],
                    "paged": lambda: EntryPage([3, 1], total=40, page=2, page_size=2),
                    "vaultOfAll": lambda: 1,
                    "wrong": lambda: object(),
                    "otherKind": lambda: app.entries(AUTHOR).find_first(),
                    "broken": broken,
                    "noJson": lambda: {"value": object()},
                    "refused": refused,
                    "required": lambda: None,
                    "byName": lambda: "named",
                },
                "Mutation": {"rename": rename},
                "Shelf": {"owner": lambda parent: {"vat": "NO 1"}},
                "Owner": {"__resolve_type": lambda value, info, kind: "Company" if "vat" in value else "Person"},
                "Book": {
                    "secretLength": secret_length,
                    "seenBy": seen_by,
                    "parentKeys": lambda parent: sorted(parent),
                },
                "Author": {"initials": lambda parent: parent["name"][0]},
                "ComponentShopChapter": {"words": lambda parent: len(parent["title"].split())},
                "BookEntity": {"label": lambda parent: f"book {parent['id']}"},
            },
        }
    )
    app.plugin("graphql").service("extension").use(policies_and_middlewares)


def policies_and_middlewares():
    async def quiet(next, parent, args, context, info):
        return await next(parent, args, context, info) + "."

    async def loud(next, parent, args, context, info):
        value = await next(parent, args, context, info)
        return value and value.upper()

    async def at_most(next, parent, args, context, info):
        return await next(parent, {**args, "pagination": {"limit": 1}}, context, info)

    async def longer_title(next, parent, args, context, info):
        data = {**args["data"], "title": f"{args['data']['title']} (new)"}
        return await next(parent, {**args, "data": data}, context, info)

    async def guarded(context):
        if context.args.get("id") == "2":
            raise PolicyError("Not the second", {"id": 2})
        return context.args.get("id") != "3"

    return {
        "resolvers_config": {
            **{f"Query.{name}": OPEN for name in ("shelf", "newest", "numbered", "paged", "vaultOfAll", "wrong")},
            **{f"Query.{name}": OPEN for name in ("otherKind", "broken", "noJson", "refused", "required")},
            "Query.greeting": {"auth": False, "middlewares": [quiet, loud]},
            "Query.book": {"policies": [guarded]},
            "Query.byName": {"auth": False, "policies": ["api::book.never"]},
            "Query.vaults": {"auth": {"scope": ["api::book.book.find"]}},
            "Query.notes": {"policies": ["open-hours"], "middlewares": ["global::first-only"]},
            "Mutation.createBook": {"middlewares": [longer_title]},
            "Book.genres": {"middlewares": [at_most]},
            "Genre.name": {"middlewares": [loud]},
            "Book.vaults": {"middlewares": [lambda next, *given: next(*given)]},
            "ComponentShopQuote.text": {"middlewares": [loud]},
        },
    }
