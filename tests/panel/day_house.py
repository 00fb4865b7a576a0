"""The afternoon: files, settings, people, and the builder."""

from tests.panel.checks import Person, check, log_in, open_list
from tests.panel.editor import Editor

ADA = Person("ada@admin.example", "Ada-Passw0rd1")
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


@check("see the files")
def _(editor: Editor) -> None:
    editor.open("/admin/plugins/upload")
    editor.see("Assets (10)", "red.png", "Folders")


@check("make a folder")
def _(editor: Editor) -> None:
    editor.click("Add new folder")
    editor.see("Location")
    editor.fill("Name", "From the panel")
    editor.click("Create")
    editor.see("From the panel")


@check("open a folder")
def _(editor: Editor) -> None:
    editor.open("/admin/plugins/upload?folder=1&folderPath=/1")
    editor.see("one.png", "2024")


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


@check("see what a service is")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/application-infos")
    editor.see("Community Edition", "Menu logo")


@check("see the roles")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/roles")
    editor.see("Super Admin", "Editor", "Author", "Custom")


@check("see what a role may")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/roles/3")
    editor.see("Author", "Collection Types", "Article", "Single Types", "Plugins", "Settings")


@check("make a role")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/roles/new")
    editor.see("Create a role")
    editor.fill("Name", "Proof readers")
    editor.click("Save")
    editor.until("/roles\\/\\d+/.test(location.pathname)", "the role's address")


@check("see the administrators")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/users")
    editor.see("ada@admin.example", "Super Admin", "Active")


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


@check("see the webhooks")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/webhooks")
    editor.see("Deploy", "Media")


@check("make a webhook")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/webhooks/create")
    editor.see("Create a webhook", "Entry")
    editor.fill("Name", "Panel hook")
    editor.fill("url", "https://hooks.example.org/panel")
    editor.click_at("[aria-label='entry.create'], input[name='entry.create']")
    editor.click("Save")
    editor.until("/webhooks\\/\\d+/.test(location.pathname)", "the webhook's address")


@check("see the locales")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/internationalization")
    editor.see("English (en)", "French (fr)", "German (de)")


@check("see the transfer tokens")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/transfer-tokens")
    editor.see("mover", "puller")


@check("change the settings of files")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/media-library")
    editor.see("Responsive friendly upload")


@check("see the roles of users")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/users-permissions/roles")
    editor.see("Authenticated", "Public")


@check("see what users of a role may")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/users-permissions/roles/1")
    editor.see("Authenticated", "Permissions", "Article", "Users-permissions")


@check("see the providers")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/users-permissions/providers")
    editor.see("github", "google", "Disabled")


@check("see the mails of users")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/users-permissions/email-templates")
    editor.see("Reset password", "Email address confirmation")


@check("see the advanced settings of users")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/users-permissions/advanced-settings")
    editor.see("One account per email address", "Authenticated")


@check("see how mail is sent")
def _(editor: Editor) -> None:
    editor.open("/admin/settings/email")
    editor.see("Default sender email", "Test email delivery")


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


@check("the new field is in the form")
def _(editor: Editor) -> None:
    editor.open("/admin/content-manager/collection-types/api::tag.tag/1")
    editor.see("label", "shiny", seconds=60)


@check("log out")
def _(editor: Editor) -> None:
    editor.click("ada-the-first", exact=False)
    editor.click("Logout")
    editor.see("Welcome")
