"""The afternoon: files, settings, administrators, and the builder."""

from tests.panel.checks import ADA, ENTRIES, Person, check, log_in, open_list, visit
from tests.panel.editor import Editor

ED = Person("ed@admin.example", "Ed-Passw0rd1")
ARTHUR = Person("arthur@admin.example", "Arthur-Passw0rd1")
_FILE = """(() => {
  const input = document.querySelector('input[type=file]');
  const transfer = new DataTransfer();
  transfer.items.add(new File(['panel'], 'from-panel.txt', { type: 'text/plain' }));
  input.files = transfer.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
})()"""


visit("see the files", "/admin/plugins/upload", "Assets (10)", "red.png", "Folders")


@check("make a folder")
def _(editor: Editor) -> None:
    editor.click("Add new folder")
    editor.see("Location")
    editor.fill("Name", "From the panel")
    editor.click("Create")
    editor.see("From the panel")


visit("open a folder", "/admin/plugins/upload?folder=1&folderPath=/1", "one.png", "2024")


@check("upload a file")
def _(editor: Editor) -> None:
    editor.open("/admin/plugins/upload")
    editor.see("Assets (10)")
    editor.click("Add new assets")
    editor.until("document.querySelector('input[type=file]')", "where files are dropped")
    editor.do(_FILE)
    editor.see("from-panel.txt")
    editor.click("Upload 1 asset", exact=False)
    editor.gone("Upload 1 asset")
    editor.see("from-panel.txt")


@check("search the files")
def _(editor: Editor) -> None:
    editor.open("/admin/plugins/upload?page=1&pageSize=10&_q=from-panel")
    editor.see("from-panel.txt")
    editor.gone("red.png")


@check("see what is said of a file")
def _(editor: Editor) -> None:
    editor.click("Edit")
    editor.see("File name", "Alternative text", "Caption")
    editor.click("Cancel")


visit("see what a service is", "/admin/settings/application-infos", "Community Edition", "Menu logo")
visit("see the roles", "/admin/settings/roles", "Super Admin", "Editor", "Author", "Custom")
visit(
    "see what a role may",
    "/admin/settings/roles/3",
    "Author",
    "Collection Types",
    "Article",
    "Single Types",
    "Plugins",
    "Settings",
)


@check("make a role")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/roles/new")
    editor.see("Create a role")
    editor.fill("Name", "Proof readers")
    editor.click("Save")
    editor.until("/roles\\/\\d+/.test(location.pathname)", "the role's address")


visit("see the administrators", "/admin/settings/users", "ada@admin.example", "Super Admin", "Active")


@check("invite somebody")
def _(editor: Editor) -> None:
    editor.click("Invite new user")
    editor.see("First name")
    editor.fill("First name", "Nina")
    editor.fill("Email", "nina@admin.example")
    editor.choose("User's roles", "Editor")
    editor.press("Tab")
    editor.do("__look.button('Invite user', true).click()")
    editor.until("document.body.innerHTML.includes('registrationToken')", "the link of the invitation")


@check("search the administrators")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/users?pageSize=10&page=1&sort=firstname&_q=nina")
    editor.see("nina@admin.example")
    editor.gone("arthur@admin.example")


@check("make an API token")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/api-tokens/create")
    editor.see("Create API Token")
    editor.fill("Name", "For the site")
    editor.choose("Token duration", "7 days")
    editor.choose("Token type", "Read-only")
    editor.click("Save")
    editor.see("Make sure to copy this token")


visit("see the webhooks", "/admin/settings/webhooks", "Deploy", "Media")


@check("make a webhook")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/webhooks/create")
    editor.see("Create a webhook", "Entry")
    editor.fill("Name", "Panel hook")
    editor.fill("url", "https://hooks.example.org/panel")
    editor.click_at("[aria-label='entry.create'], input[name='entry.create']")
    editor.click("Save")
    editor.until("/webhooks\\/\\d+/.test(location.pathname)", "the webhook's address")


visit("see the locales", "/admin/settings/internationalization", "English (en)", "French (fr)", "German (de)")
visit("see the transfer tokens", "/admin/settings/transfer-tokens", "mover", "puller")
visit("change the settings of files", "/admin/settings/media-library", "Responsive friendly upload")
visit("see the roles of users", "/admin/settings/users-permissions/roles", "Authenticated", "Public")
visit(
    "see what users of a role may",
    "/admin/settings/users-permissions/roles/1",
    "Authenticated",
    "Permissions",
    "Article",
    "Users-permissions",
)
visit("see the providers", "/admin/settings/users-permissions/providers", "github", "google", "Disabled")
visit(
    "see the mails of users",
    "/admin/settings/users-permissions/email-templates",
    "Reset password",
    "Email address confirmation",
)
visit(
    "see the advanced settings of users",
    "/admin/settings/users-permissions/advanced-settings",
    "One account per email address",
    "Authenticated",
)
visit("see how mail is sent", "/admin/settings/email", "Default sender email", "Test email delivery")


@check("change one's own profile")
def _(editor: Editor) -> None:
    editor.open("/admin/me")
    editor.see("Profile")
    editor.fill("Username", "ada-the-first")
    editor.click("Save")
    editor.see("Saved")


@check("an editor sees content and no types")
def _(editor: Editor) -> None:
    log_in(editor, ED)
    editor.see("Content Manager", "Media Library")
    editor.gone("Content-Type Builder")
    open_list(editor, "api::article.article")
    editor.see("entries found", "Create new entry")


@check("an author sees his own entries alone")
def _(editor: Editor) -> None:
    log_in(editor, ARTHUR)
    open_list(editor, "api::article.article")
    editor.see("Arthur article 1")
    editor.gone("A $dollar")


@check("see a type in the builder")
def _(editor: Editor) -> None:
    log_in(editor, ADA)
    editor.open("/admin/plugins/content-type-builder/content-types/api::tag.tag")
    editor.see("Tag", "label", "weight", "Add another field")


@check("add a field to a type")
def _(editor: Editor) -> None:
    editor.do("__look.button('Skip the tour') && __look.button('Skip the tour').click()")
    editor.click("Add another field")
    editor.see("Select a field for your collection type")
    editor.click("Boolean", exact=False)
    editor.see("Add new Boolean field")
    editor.fill("Name", "shiny")
    editor.click("Finish")
    editor.see("shiny")
    editor.click("Save")
    editor.gone("Waiting for restart", seconds=60)
    editor.see("shiny", seconds=60)


visit("the new field is in the form", f"{ENTRIES}/api::tag.tag/1", "label", "shiny", seconds=60)


@check("log out")
def _(editor: Editor) -> None:
    editor.click("ada-the-first", exact=False)
    editor.click("Logout")
    editor.see("Welcome")
