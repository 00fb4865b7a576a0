"""The customization of the recordings `custom`, in Octavo's form."""

TYPE_DEFS = """
extend type Query {
  hello(name: String = "world"): String!
  articleBySlug(slug: String!): ArticleEntityResponse
  whoami: String
}
"""


def register(app):
    extension = app.plugin("graphql").service("extension")

    extension.shadow_crud("api::hidden-thing.hidden-thing").disable()
    extension.shadow_crud("api::tag.tag").disable_queries()
    extension.shadow_crud("api::profile.profile").disable_mutations()
    extension.shadow_crud("api::event.event").disable_action("delete")
    extension.shadow_crud("api::author.author").disable_actions(["create", "update"])

    article = extension.shadow_crud("api::article.article")
    article.field("extra").disable()
    article.field("views").disable_output()
    article.field("price").disable_input()
    article.field("rating").disable_filters()

    extension.use(
        {
            "type_defs": TYPE_DEFS,
            "resolvers": {
                "Query": {"hello": hello, "whoami": {"resolve": whoami}, "articleBySlug": article_by_slug(app)},
            },
            "resolvers_config": {
                "Query.hello": {"auth": False},
                "Query.articleBySlug": {"auth": {"scope": ["api::article.article.findOne"]}},
                "Query.homepage": {"auth": {"scope": ["api::tag.tag.find"]}},
                "Query.usersPermissionsRoles": {"auth": False},
                "Query.events": {"policies": ["not-thirteen"]},
                "Query.profiles": {"middlewares": ["global::only-two"]},
                "Article.summary": {"middlewares": [in_capitals]},
                "Query.category": {
                    "auth": {"scope": ["api::category.category.findOne", "api::tag.tag.find"]},
                    "policies": [lambda context: True],
                    "middlewares": [unchanged],
                },
            },
        }
    )


def hello(parent, args):
    return f"hello {'null' if args['name'] is None else args['name']}"


async def whoami(parent, args, context):
    user = await context.user()
    return user and user["username"]


def article_by_slug(app):
    async def resolve(parent, args):
        return await app.entries("api::article.article").find_first(filters={"slug": args["slug"]}, sort="id")

    return resolve


async def in_capitals(next, parent, args, context, info):
    value = await next(parent, args, context, info)
    return value.upper() if isinstance(value, str) else value


def unchanged(next, parent, args, context, info):
    return next(parent, args, context, info)
