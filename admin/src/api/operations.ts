// Written by `python -m octavo.api.admin.contract`, from the rows of src/octavo/api/admin/endpoints. Do not edit.

/** Versions: of this software, and of v4 as it is known here. */
export interface About {
  version: string;
  reference: string;
  environment: string;
}

/** Versions. */
export interface AboutAnswer {
  data: About;
}

/** Another secret of a token. */
export interface AccessKey {
  id: number;
  accessKey: string;
}

/** Another secret of a token. */
export interface AccessKeyAnswer {
  data: AccessKey;
}

/** The actions of an API or a plugin, by controller. */
export interface ActionControllers {
  controllers: Record<string, (string)[]>;
}

/** Whether users with a role may do something. */
export interface ActionState {
  enabled: boolean;
  policy?: string;
}

/** The content API's actions, by API and plugin. */
export interface ActionsAnswer {
  data: Record<string, ActionControllers>;
}

/** A role of administrators, and how many have it. */
export interface AdminRole {
  id: number;
  name: string;
  code: string;
  description: string | null;
  createdAt?: string;
  updatedAt?: string;
  usersCount?: number;
}

/** A role of administrators. */
export interface AdminRoleAnswer {
  data: AdminRole;
}

/** The roles of administrators. */
export interface AdminRolesAnswer {
  data: (AdminRole)[];
}

/** Somebody who works here. */
export interface Administrator {
  id: number;
  firstname: string | null;
  lastname: string | null;
  username: string | null;
  email: string;
  isActive: boolean;
  blocked: boolean;
  preferedLanguage: string | null;
  createdAt?: string;
  updatedAt?: string;
  roles?: (RoleName)[];
}

/** One administrator. */
export interface AdministratorAnswer {
  data: Administrator;
}

/** A page of administrators. */
export interface AdministratorPage {
  results: (Administrator)[];
  pagination: Pagination;
}

/** A page of administrators. */
export interface AdministratorPageAnswer {
  data: AdministratorPage;
}

/** How users register, and the roles they may get. */
export interface AdvancedAnswer {
  settings: AdvancedSettings;
  roles: (SiteRole)[];
}

/** How users register. */
export interface AdvancedSettings {
  unique_email: boolean;
  allow_register: boolean;
  email_confirmation: boolean;
  email_reset_password: string | null;
  email_confirmation_redirection: string | null;
  default_role: string;
}

/** A route of the content API. */
export interface ApiRoute {
  method: string;
  path: string;
  handler: string;
  config?: Record<string, unknown>;
  info?: Record<string, unknown>;
}

/** An attribute, as it is written in the definition. */
export interface Attribute {
  type: string;
  required?: boolean;
  private?: boolean;
  unique?: boolean;
  default?: unknown;
  min?: number | number | string;
  max?: number | number | string;
  minLength?: number;
  maxLength?: number;
  regex?: string;
  enum?: (string)[];
  multiple?: boolean;
  allowedTypes?: (string)[];
  component?: string;
  components?: (string)[];
  repeatable?: boolean;
  target?: string;
  targetModel?: string;
  targetField?: string;
  relation?: string;
  relationType?: string;
  mappedBy?: string;
  inversedBy?: string;
  configurable?: boolean;
  writable?: boolean;
  visible?: boolean;
  customField?: string;
  options?: Record<string, unknown>;
  pluginOptions?: Record<string, unknown>;
}

/** A page of the audit, and what can be looked for. */
export interface AuditAnswer {
  data: AuditPage;
}

/** Something that an administrator did. */
export interface AuditEntry {
  at: string | null;
  administrator: number;
  email: string | null;
  door: string;
  action: string;
  uid: string | null;
  entry: number | null;
  request: string | null;
}

/** A page of the audit. */
export interface AuditPage {
  results: (AuditEntry)[];
  pagination: Pagination;
  actions: (string)[];
}

/** Whether definitions can be changed here; if not, why. */
export interface BuilderState {
  isChangeable: boolean;
  reason: 'production' | 'rights' | null;
}

/** Whether definitions can be changed. */
export interface BuilderStateAnswer {
  data: BuilderState;
}

/** All that can be granted. */
export interface CatalogueSections {
  plugins: (SettingsAction)[];
  settings: (SettingsAction)[];
  singleTypes: ContentSection;
  collectionTypes: ContentSection;
}

/** What others may change of an administrator. */
export interface ChangedAdministrator {
  email?: string;
  firstname?: string;
  lastname?: string;
  username?: string;
  password?: string;
  isActive?: boolean;
  roles?: (number)[];
}

/** What is changed of a locale. */
export interface ChangedLocale {
  name?: string | null;
  isDefault?: boolean;
}

/** What administrators change of themselves. */
export interface ChangedSelf {
  email?: string;
  firstname?: string;
  lastname?: string;
  username?: string;
  preferedLanguage?: string;
  currentPassword?: string;
  password?: string;
}

/** A task by the clock. */
export interface ClockTask {
  name: string;
  rule: string;
  zone: string;
  lastAt: string;
  nextAt: string | null;
}

/** How a component looks, and the components in it. */
export interface ComponentViews {
  component: View;
  components: Record<string, View>;
}

/** How a component looks. */
export interface ComponentViewsAnswer {
  data: ComponentViews;
}

/** An action on content-types. */
export interface ContentAction {
  label: string;
  actionId: string;
  subjects: (string)[];
  applyToProperties?: (string)[];
}

/** What can be granted about content-types. */
export interface ContentSection {
  actions: (ContentAction)[];
  subjects: (GrantedSubject)[];
}

/** How many there are. */
export interface Counted {
  count: number;
}

/** What somebody logs in with. */
export interface Credentials {
  email: string;
  password: string;
}

/** All definitions, and the sizes of fields. */
export interface Definitions {
  fieldSizes: Record<string, FieldSize>;
  components: (ToldComponent)[];
  contentTypes: (ToldContentType)[];
}

/** All definitions. */
export interface DefinitionsAnswer {
  data: Definitions;
}

/** The newest messages to a webhook; how many in a row were given up, and why it was switched off. */
export interface Deliveries {
  results: (ToldDelivery)[];
  failures: number;
  disabledBecause: string | null;
  isSigned: boolean;
}

/** The newest messages to a webhook. */
export interface DeliveriesAnswer {
  data: Deliveries;
}

/** How a field looks in a form. */
export interface EditLook {
  label?: string;
  description?: string;
  placeholder?: string;
  visible?: boolean;
  editable?: boolean;
  mainField?: string;
}

/** Who has changed an entry. */
export interface Editor {
  id: number;
  firstname: string | null;
  lastname: string | null;
  username: string | null;
}

/** An access token, and whose it is. */
export interface Entered {
  token: string;
  user: Administrator;
}

/** A session has begun. */
export interface EnteredAnswer {
  data: Entered;
}

/** Where entries are found from outside: a path of the content API, and an address with what is to be put into it in */
export interface EntryAddresses {
  api: string | null;
  preview: string | null;
}

/** Where entries are found from outside. */
export interface EntryAddressesAnswer {
  data: EntryAddresses;
}

/** A page of entries. */
export interface EntryPage {
  results: (Record<string, unknown>)[];
  pagination: Pagination;
}

/** How many of a row's twelve columns a field of a type takes. */
export interface FieldSize {
  default: number;
  isResizable: boolean;
}

/** An image in a smaller size. */
export interface FileFormat {
  url: string;
  width: number;
  height: number;
  size: number;
}

/** A file before a change, and after it; null where there is none then. */
export interface FilePreview {
  path: string;
  before: string | null;
  after: string | null;
}

/** An entry that shows a file; `field` is the path of the attribute. */
export interface FileUseTold {
  uid: string;
  kind: string;
  type: string;
  id: number;
  label: string;
  field: string;
}

/** Entries that show a file; `hidden`: how many more that one may not read. */
export interface FileUsesAnswer {
  data: (FileUseTold)[];
  hidden: number;
}

/** What of an image has to be seen; null: nothing in particular. */
export interface FocalPointForm {
  focalPoint: FocalPointTold | null;
}

/** A place in an image, in fractions of its width and height: 0 to 1. */
export interface FocalPointTold {
  x: number;
  y: number;
}

/** A folder of the library. */
export interface Folder {
  id: number;
  name: string;
  pathId: number;
  path: string;
  createdAt: string;
  updatedAt: string;
  children?: Counted;
  files?: Counted;
  parent?: Folder | null;
}

/** A folder. */
export interface FolderAnswer {
  data: Folder;
}

/** A folder with those in it. */
export interface FolderBranch {
  id: number;
  name: string;
  children: (FolderBranch)[];
}

/** What a folder is called, and where it lies: null is the top. */
export interface FolderForm {
  name: string;
  parent: number | null;
}

/** A folder, as it is named with what lies in it. */
export interface FolderName {
  id: number;
  name: string;
}

/** All folders. */
export interface FolderTreeAnswer {
  data: (FolderBranch)[];
}

/** Folders. */
export interface FoldersAnswer {
  data: (Folder)[];
}

/** Where to send a token. */
export interface ForgottenPassword {
  email: string;
}

/** What was given up. */
export interface GivenUpWork {
  id: number;
  kind: string;
  what: string;
  diedAt: string;
  attempts: number;
  error: string;
}

/** An action that is granted to a role, on a content-type where there is a subject. */
export interface Grant {
  action: string;
  subject: string | null;
  properties: RightProperties;
  conditions: (string)[];
}

/** All that can be granted, and under what. */
export interface GrantCatalogue {
  conditions: (GrantedCondition)[];
  sections: CatalogueSections;
}

/** All that can be granted. */
export interface GrantCatalogueAnswer {
  data: GrantCatalogue;
}

/** Under what an action can be granted. */
export interface GrantedCondition {
  id: string;
  displayName: string;
  category: string;
}

/** A field, or a locale, that a right can be limited to. */
export interface GrantedField {
  label: string;
  value: string;
  required?: boolean;
  children?: (GrantedField)[];
}

/** A content-type that rights are about. */
export interface GrantedSubject {
  uid: string;
  label: string;
  properties: (GrantedField)[];
}

/** All that a role may do. */
export interface Grants {
  permissions: (Grant)[];
}

/** Several at once. */
export interface Ids {
  ids: (number)[];
}

/** What is done with images. */
export interface ImageSettings {
  sizeOptimization: boolean;
  responsiveDimensions: boolean;
  autoOrientation: boolean;
}

/** What is done with images. */
export interface ImageSettingsAnswer {
  data: ImageSettings;
}

/** What a definition is called. */
export interface Info {
  displayName: string;
  singularName?: string;
  pluralName?: string;
  description?: string;
  icon?: string;
}

/** Versions. */
export interface Information {
  currentEnvironment: string;
  autoReload: boolean;
  strapiVersion: string;
}

/** Versions. */
export interface InformationAnswer {
  data: Information;
}

/** Who is invited. */
export interface Invitation {
  email: string;
  firstname: string;
  lastname?: string;
  roles: (number)[];
}

/** An invitation. */
export interface InvitationAnswer {
  data: InvitationNames;
}

/** Whom an invitation is for. */
export interface InvitationNames {
  email: string;
  firstname: string | null;
  lastname: string | null;
}

/** An invitation that is accepted. */
export interface Invited {
  registrationToken: string;
  userInfo: InvitedPerson;
}

/** Who was invited, with the token that is shown here alone. */
export interface InvitedAdministrator {
  id: number;
  firstname: string | null;
  lastname: string | null;
  username: string | null;
  email: string;
  isActive: boolean;
  blocked: boolean;
  preferedLanguage: string | null;
  createdAt?: string;
  updatedAt?: string;
  roles?: (RoleName)[];
  registrationToken?: string;
}

/** Who was invited. */
export interface InvitedAdministratorAnswer {
  data: InvitedAdministrator;
}

/** Who was invited, by themselves. */
export interface InvitedPerson {
  firstname: string;
  lastname?: string;
  password: string;
}

/** A locale that can be added. */
export interface KnownLocale {
  code: string;
  name: string;
}

/** Columns of the list, rows of the form. */
export interface Layouts {
  list: (string)[];
  edit: ((PlacedField)[])[];
}

/** How a field looks in a list. */
export interface ListLook {
  label?: string;
  searchable?: boolean;
  sortable?: boolean;
  mainField?: string;
}

/** A locale that content is written in. */
export interface Locale {
  id: number;
  name: string;
  code: string;
  isDefault: boolean;
  createdAt?: string;
  updatedAt?: string;
}

/** What a login page needs. */
export interface LoginPage {
  uuid: string | boolean;
  hasAdmin: boolean;
  menuLogo: string | null;
  authLogo: string | null;
}

/** What a login page needs. */
export interface LoginPageAnswer {
  data: LoginPage;
}

/** A picture in the place of our name. */
export interface Logo {
  name?: string | null;
  url?: string | null;
  width?: number | null;
  height?: number | null;
  ext?: string | null;
  size?: number | null;
}

/** The logos of a project: in the menu, and where one logs in. */
export interface Logos {
  menuLogo: Logo | null;
  authLogo: Logo | null;
}

/** How a field looks. */
export interface Look {
  edit: EditLook;
  list: ListLook;
}

/** How mail leaves. */
export interface MailConfig {
  provider: string;
  settings: MailSenders;
}

/** How mail leaves. */
export interface MailConfigAnswer {
  config: MailConfig;
}

/** Where to send a mail. */
export interface MailRecipient {
  to: string;
}

/** Whom mails are from. */
export interface MailSenders {
  defaultFrom?: string;
  defaultReplyTo?: string;
  testAddress?: string;
}

/** The text of a mail to users. */
export interface MailTemplate {
  display: string;
  icon: string;
  options: TemplateOptions;
}

/** A file in the library. `size` is in kilobytes. */
export interface MediaFile {
  id: number;
  name: string;
  alternativeText: string | null;
  caption: string | null;
  width: number | null;
  height: number | null;
  formats: Record<string, FileFormat> | null;
  hash: string;
  ext: string | null;
  mime: string;
  size: number;
  url: string;
  previewUrl: string | null;
  provider: string;
  provider_metadata: Record<string, unknown> | null;
  folderPath: string;
  createdAt: string;
  updatedAt: string;
  folder?: FolderName | null;
}

/** A page of files. */
export interface MediaPage {
  results: (MediaFile)[];
  pagination: MediaPagination;
}

/** Which page it is, and of how many. */
export interface MediaPagination {
  page: number;
  pageSize: number;
  pageCount: number;
  total: number;
}

/** Files and folders that go to another folder: null is the top. */
export interface Moved {
  fileIds?: (number)[];
  folderIds?: (number)[];
  destinationFolderId: number | null;
}

/** What a role is called. */
export interface NamedRole {
  name: string;
  description?: string;
}

/** The first administrator; `code` is the one in the log, where it is asked for. */
export interface NewAdministrator {
  email: string;
  password: string;
  firstname: string;
  lastname?: string;
  code?: string;
}

/** A locale that is added. */
export interface NewLocale {
  code: string;
  name?: string | null;
  isDefault: boolean;
}

/** Another password, by a mailed token. */
export interface NewPassword {
  resetPasswordToken: string;
  password: string;
}

/** What is said of a token. */
export interface NewToken {
  name: string;
  description?: string;
  type?: string;
  lifespan?: number | null;
  permissions?: (string)[] | null;
}

/** Which page it is, and of how many. */
export interface Pagination {
  page: number;
  pageSize: number;
  pageCount: number;
  total: number;
}

/** A field in a row of a form. */
export interface PlacedField {
  name: string;
  size: number;
}

/** What is planned for entries of a content-type, the next first. */
export interface PlannedAnswer {
  data: (PlannedMoment)[];
}

/** An entry for which something is planned. */
export interface PlannedEntry {
  uid: string;
  id: number;
  name: string;
  locale: string | null;
  isDraft: boolean;
  updatedAt: string | null;
  updatedBy: Editor | null;
  plan: 'publish' | 'unpublish' | 'appear';
  due: string;
  error?: string;
  problems?: (string)[];
}

/** What is planned for an entry, and when. */
export interface PlannedMoment {
  id: number;
  plan: 'publish' | 'unpublish' | 'appear';
  due: string;
  error?: string;
  problems?: (string)[];
}

/** When an entry is published, and taken back, by itself. */
export interface Plans {
  publishAt?: string | null;
  unpublishAt?: string | null;
}

/** What is planned for an entry. */
export interface PlansAnswer {
  data: ScheduleState;
}

/** What a change would do. `kept` stays in the database, though no definition asks for it any more. */
export interface Preview {
  uid: string;
  files: (FilePreview)[];
  tables: (TablePreview)[];
  kept: (TablePreview)[];
}

/** What a change would do. */
export interface PreviewAnswer {
  data: Preview;
}

/** A change: of what (a UID, or a category), and the body that would ask for it. */
export interface PreviewForm {
  change: 'createContentType' | 'updateContentType' | 'deleteContentType' | 'createComponent' | 'updateComponent' | 'deleteComponent' | 'renameCategory' | 'deleteCategory';
  name?: string;
  form?: unknown;
}

/** Somewhere to sign in with. */
export interface Provider {
  enabled: boolean;
  icon?: string;
  key?: string;
  secret?: string;
  callback?: string;
  scope?: (string)[];
  subdomain?: string;
  redirectUri?: string;
}

/** Since when an entry was published. */
export interface Publication {
  id: number;
  publishedAt: string;
}

/** Entries that are published again as of when they were. */
export interface PublishedAgain {
  entries: (Publication)[];
}

/** What was changed last, by anybody; one's own drafts; what is planned next. */
export interface Recent {
  changed: (RecentEntry)[];
  drafts: (RecentEntry)[];
  planned: (PlannedEntry)[];
}

/** What to go on with. */
export interface RecentAnswer {
  data: Recent;
}

/** An entry to go on with. */
export interface RecentEntry {
  uid: string;
  id: number;
  name: string;
  locale: string | null;
  isDraft: boolean;
  updatedAt: string | null;
  updatedBy: Editor | null;
}

/** Files and folders that go, with what lies in these. */
export interface Removed {
  fileIds?: (number)[];
  folderIds?: (number)[];
}

/** An action that is allowed, on a content-type where there is a subject. */
export interface Right {
  id: number;
  action: string;
  actionParameters: Record<string, unknown>;
  subject: string | null;
  properties: RightProperties;
  conditions: (string)[];
}

/** What a right is limited to: fields by path, locales by code. */
export interface RightProperties {
  fields?: (string)[] | null;
  locales?: (string)[] | null;
}

/** What one may do. */
export interface RightsAnswer {
  data: (Right)[];
}

/** A role, as it is named with people. */
export interface RoleName {
  id: number;
  name: string;
  description: string | null;
  code: string;
}

/** The routes of the content API, by API and plugin. */
export interface RoutesAnswer {
  data: Record<string, (ApiRoute)[]>;
}

/** All providers. */
export interface SaidProviders {
  providers: Record<string, Provider>;
}

/** What is said of a role of users of the site. */
export interface SaidSiteRole {
  name: string;
  description: string;
  permissions: Record<string, SiteControllers>;
}

export interface SaidTemplates {
  'email-templates': Record<string, MailTemplate>;
}

/** What is said of a webhook. */
export interface SaidWebhook {
  name: string;
  url: string;
  headers: Record<string, string>;
  events: (string)[];
  isEnabled?: boolean;
}

/** Why an entry was not published, or unpublished, at its time. */
export interface ScheduleFailure {
  plan: 'publish' | 'unpublish' | 'appear';
  dueAt: string;
  failedAt: string;
  error: string;
}

/** What is scheduled for an entry, what failed, and what the entry lacks that is to be published. */
export interface ScheduleState {
  publishAt?: string | null;
  unpublishAt?: string | null;
  failure?: ScheduleFailure;
  problems?: (string)[];
}

/** An action without subject; `plugin` of those of plugins, `category` of those of settings. */
export interface SettingsAction {
  displayName: string;
  action: string;
  subCategory: string;
  plugin?: string;
  category?: string;
}

/** All that users can be granted. */
export interface SiteActionsAnswer {
  permissions: Record<string, SiteControllers>;
}

/** The actions of an API or a plugin, by controller and action. */
export interface SiteControllers {
  controllers: Record<string, Record<string, ActionState>>;
}

/** A role of users of the site; `nb_users` in lists, `permissions` of one. */
export interface SiteRole {
  id: number;
  name: string;
  description: string | null;
  type: string;
  nb_users?: number;
  permissions?: Record<string, SiteControllers>;
}

/** A role of users of the site. */
export interface SiteRoleAnswer {
  role: SiteRole;
}

/** Roles of users of the site. */
export interface SiteRolesAnswer {
  roles: (SiteRole)[];
}

/** A route of the content API, and the action it asks for. */
export interface SiteRoute {
  method: string;
  path: string;
  handler: string;
}

/** The routes of the content API. */
export interface SiteRoutesAnswer {
  routes: Record<string, (SiteRoute)[]>;
}

/** How the service is. `slowRequests` and `log` are those of the process that answers, one of `workers`. */
export interface System {
  version: string;
  reference: string;
  environment: string;
  python: string;
  startedAt: string;
  process: number;
  workers: number;
  memory: number;
  database: SystemDatabase;
  storage: string;
  waiting: number;
  givenUp: number;
  plugins: (SystemPlugin)[];
  slowRequests: (SystemSlowRequest)[];
  log: (SystemLogLine)[];
}

/** How the service is. */
export interface SystemAnswer {
  data: System;
}

/** The database: its bytes, and how long it takes to answer. */
export interface SystemDatabase {
  kind: string;
  version: string;
  size: number;
  milliseconds: number;
}

/** A warning or an error in the log. */
export interface SystemLogLine {
  at: string;
  level: string;
  logger: string;
  text: string;
  place: string | null;
}

/** A plugin in use. */
export interface SystemPlugin {
  name: string;
  displayName: string;
  description?: string;
}

/** A request that took long. */
export interface SystemSlowRequest {
  at: string;
  method: string;
  path: string;
  status: number;
  milliseconds: number;
}

/** What happens to a table or a column. `was` is its name, or its type, before. */
export interface TablePreview {
  change: string;
  table: string;
  column: string | null;
  was: string | null;
  type: string | null;
}

export interface TemplateOptions {
  from: TemplateSender;
  response_email: string;
  object: string;
  message: string;
}

/** Whom a mail is from. */
export interface TemplateSender {
  name: string;
  email: string;
}

/** A token. `lifespan` is in milliseconds; `accessKey` is shown when it is made, and never again. */
export interface Token {
  id: number;
  name: string;
  description: string | null;
  type?: 'read-only' | 'full-access' | 'custom';
  permissions: (string)[] | null;
  lifespan: string | null;
  lastUsedAt: string | null;
  expiresAt: string | null;
  createdAt?: string;
  accessKey?: string;
}

/** A token. */
export interface TokenAnswer {
  data: Token;
}

/** Tokens. */
export interface TokensAnswer {
  data: (Token)[];
}

/** A component, as pages are told it. */
export interface ToldComponent {
  uid: string;
  isDisplayed: boolean;
  apiID: string;
  category: string;
  info: Info;
  options?: Record<string, unknown>;
  pluginOptions?: Record<string, unknown>;
  attributes: Record<string, Attribute>;
}

/** A content-type, as pages are told it. */
export interface ToldContentType {
  uid: string;
  isDisplayed: boolean;
  apiID: string;
  kind: 'collectionType' | 'singleType';
  info: Info;
  options?: Record<string, unknown>;
  pluginOptions?: Record<string, unknown>;
  attributes: Record<string, Attribute>;
}

/** A message to a webhook, and what came of it last. */
export interface ToldDelivery {
  id: string;
  event: string;
  url: string;
  body: string;
  attempts: number;
  delivered: boolean;
  status: number | null;
  answer: string;
  error: string | null;
  milliseconds: number;
  createdAt: string;
  sentAt: string;
}

/** A webhook. */
export interface ToldWebhook {
  id: number;
  name: string;
  url: string;
  headers: Record<string, string>;
  events: (string)[];
  isEnabled: boolean;
}

/** What came of trying a webhook. */
export interface TriggerAnswer {
  data: TriggerOutcome;
}

/** What came of trying a webhook. */
export interface TriggerOutcome {
  statusCode: number;
  message?: string;
}

/** How a definition looks. */
export interface View {
  uid: string;
  settings: ViewSettings;
  metadatas: Record<string, Look>;
  layouts: Layouts;
  category?: string;
  isComponent?: boolean;
}

/** What is to be another way of how a definition looks: each part as a whole. */
export interface ViewChanges {
  settings?: ViewSettings;
  metadatas?: Record<string, Look>;
  layouts?: Layouts;
}

/** How lists of a content-type begin. */
export interface ViewSettings {
  bulkable: boolean;
  filterable: boolean;
  searchable: boolean;
  pageSize: number;
  mainField: string;
  defaultSortBy: string;
  defaultSortOrder: string;
}

/** How a content-type looks, and the components in it. */
export interface Views {
  contentType: View;
  components: Record<string, View>;
}

/** How a content-type looks. */
export interface ViewsAnswer {
  data: Views;
}

/** What waits to be done. */
export interface WaitingWork {
  id: number;
  kind: string;
  what: string;
  dueAt: string;
  attempts: number;
  error: string | null;
}

/** A webhook. */
export interface WebhookAnswer {
  data: ToldWebhook;
}

/** Webhooks. */
export interface WebhooksAnswer {
  data: (ToldWebhook)[];
}

/** What is done in the background. */
export interface Work {
  tasks: (ClockTask)[];
  waiting: (WaitingWork)[];
  givenUp: (GivenUpWork)[];
}

/** What is done in the background. */
export interface WorkAnswer {
  data: Work;
}

export interface Operations {
  /** List API tokens */
  'GET /admin/api-tokens': { path: undefined; takes: unknown; answers: TokensAnswer };
  /** Make one of the API tokens */
  'POST /admin/api-tokens': { path: undefined; takes: NewToken; answers: TokenAnswer };
  /** Delete one of the API tokens */
  'DELETE /admin/api-tokens/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show one of the API tokens */
  'GET /admin/api-tokens/:id': { path: { id: string | number }; takes: unknown; answers: TokenAnswer };
  /** Change one of the API tokens */
  'PUT /admin/api-tokens/:id': { path: { id: string | number }; takes: NewToken; answers: TokenAnswer };
  /** Make another secret */
  'POST /admin/api-tokens/:id/regenerate': { path: { id: string | number }; takes: unknown; answers: AccessKeyAnswer };
  /** Not here */
  'GET /admin/audit-logs': { path: undefined; takes: unknown; answers: unknown };
  /** List the content API's actions */
  'GET /admin/content-api/permissions': { path: undefined; takes: unknown; answers: ActionsAnswer };
  /** List the content API's routes */
  'GET /admin/content-api/routes': { path: undefined; takes: unknown; answers: RoutesAnswer };
  /** Mail a token */
  'POST /admin/forgot-password': { path: undefined; takes: ForgottenPassword; answers: unknown };
  /** Show versions */
  'GET /admin/information': { path: undefined; takes: unknown; answers: InformationAnswer };
  /** Show what a login page needs */
  'GET /admin/init': { path: undefined; takes: unknown; answers: LoginPageAnswer };
  /** Not here */
  'GET /admin/license-limit-information': { path: undefined; takes: unknown; answers: unknown };
  /** Not here */
  'GET /admin/license-trial-time-left': { path: undefined; takes: unknown; answers: unknown };
  /** Log in */
  'POST /admin/login': { path: undefined; takes: Credentials; answers: EnteredAnswer };
  /** End a session */
  'POST /admin/logout': { path: undefined; takes: unknown; answers: unknown };
  /** List what administrators can be granted */
  'GET /admin/permissions': { path: undefined; takes: unknown; answers: GrantCatalogueAnswer };
  /** Ask whether one may */
  'POST /admin/permissions/check': { path: undefined; takes: unknown; answers: unknown };
  /** List plugins */
  'GET /admin/plugins': { path: undefined; takes: unknown; answers: unknown };
  /** Show the logos */
  'GET /admin/project-settings': { path: undefined; takes: unknown; answers: Logos };
  /** Change logos */
  'POST /admin/project-settings': { path: undefined; takes: unknown; answers: Logos };
  /** Show the edition */
  'GET /admin/project-type': { path: undefined; takes: unknown; answers: unknown };
  /** Not here */
  'GET /admin/providers': { path: undefined; takes: unknown; answers: unknown };
  /** Not here */
  'GET /admin/providers/isSSOLocked': { path: undefined; takes: unknown; answers: unknown };
  /** Not here */
  'GET /admin/providers/options': { path: undefined; takes: unknown; answers: unknown };
  /** Accept an invitation */
  'POST /admin/register': { path: undefined; takes: Invited; answers: EnteredAnswer };
  /** Make the first one */
  'POST /admin/register-admin': { path: undefined; takes: NewAdministrator; answers: EnteredAnswer };
  /** Show an invitation */
  'GET /admin/registration-info': { path: undefined; takes: unknown; answers: InvitationAnswer };
  /** Get another access token */
  'POST /admin/renew-token': { path: undefined; takes: unknown; answers: unknown };
  /** Use a mailed token */
  'POST /admin/reset-password': { path: undefined; takes: NewPassword; answers: EnteredAnswer };
  /** Not here */
  'GET /admin/review-workflows/workflows': { path: undefined; takes: unknown; answers: unknown };
  /** List roles of administrators */
  'GET /admin/roles': { path: undefined; takes: unknown; answers: AdminRolesAnswer };
  /** Make a role of administrators */
  'POST /admin/roles': { path: undefined; takes: NamedRole; answers: AdminRoleAnswer };
  /** Delete a role of administrators */
  'DELETE /admin/roles/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show a role of administrators */
  'GET /admin/roles/:id': { path: { id: string | number }; takes: unknown; answers: AdminRoleAnswer };
  /** Change a role of administrators */
  'PUT /admin/roles/:id': { path: { id: string | number }; takes: NamedRole; answers: AdminRoleAnswer };
  /** Show what a role may do */
  'GET /admin/roles/:id/permissions': { path: { id: string | number }; takes: unknown; answers: RightsAnswer };
  /** Say what a role may do */
  'PUT /admin/roles/:id/permissions': { path: { id: string | number }; takes: Grants; answers: RightsAnswer };
  /** Delete roles of administrators */
  'POST /admin/roles/batch-delete': { path: undefined; takes: Ids; answers: unknown };
  /** Say that nothing is told to anybody */
  'GET /admin/telemetry-properties': { path: undefined; takes: unknown; answers: unknown };
  /** List transfer tokens */
  'GET /admin/transfer/tokens': { path: undefined; takes: unknown; answers: TokensAnswer };
  /** Make one of the transfer tokens */
  'POST /admin/transfer/tokens': { path: undefined; takes: NewToken; answers: TokenAnswer };
  /** Delete one of the transfer tokens */
  'DELETE /admin/transfer/tokens/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show one of the transfer tokens */
  'GET /admin/transfer/tokens/:id': { path: { id: string | number }; takes: unknown; answers: TokenAnswer };
  /** Change one of the transfer tokens */
  'PUT /admin/transfer/tokens/:id': { path: { id: string | number }; takes: NewToken; answers: TokenAnswer };
  /** Make another secret */
  'POST /admin/transfer/tokens/:id/regenerate': { path: { id: string | number }; takes: unknown; answers: AccessKeyAnswer };
  /** List administrators */
  'GET /admin/users': { path: undefined; takes: unknown; answers: AdministratorPageAnswer };
  /** Invite an administrator */
  'POST /admin/users': { path: undefined; takes: Invitation; answers: InvitedAdministratorAnswer };
  /** Delete an administrator */
  'DELETE /admin/users/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show an administrator */
  'GET /admin/users/:id': { path: { id: string | number }; takes: unknown; answers: AdministratorAnswer };
  /** Change an administrator */
  'PUT /admin/users/:id': { path: { id: string | number }; takes: ChangedAdministrator; answers: AdministratorAnswer };
  /** Delete administrators */
  'POST /admin/users/batch-delete': { path: undefined; takes: Ids; answers: unknown };
  /** Show who is logged in */
  'GET /admin/users/me': { path: undefined; takes: unknown; answers: AdministratorAnswer };
  /** Change oneself */
  'PUT /admin/users/me': { path: undefined; takes: ChangedSelf; answers: AdministratorAnswer };
  /** Show what one may do */
  'GET /admin/users/me/permissions': { path: undefined; takes: unknown; answers: RightsAnswer };
  /** List webhooks */
  'GET /admin/webhooks': { path: undefined; takes: unknown; answers: WebhooksAnswer };
  /** Make a webhook */
  'POST /admin/webhooks': { path: undefined; takes: SaidWebhook; answers: WebhookAnswer };
  /** Delete a webhook */
  'DELETE /admin/webhooks/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show a webhook */
  'GET /admin/webhooks/:id': { path: { id: string | number }; takes: unknown; answers: WebhookAnswer };
  /** Change a webhook */
  'PUT /admin/webhooks/:id': { path: { id: string | number }; takes: SaidWebhook; answers: WebhookAnswer };
  /** Try a webhook */
  'POST /admin/webhooks/:id/trigger': { path: { id: string | number }; takes: unknown; answers: TriggerAnswer };
  /** Delete some */
  'POST /admin/webhooks/batch-delete': { path: undefined; takes: Ids; answers: unknown };
  /** List entries */
  'GET /content-manager/collection-types/:uid': { path: { uid: string | number }; takes: unknown; answers: EntryPage };
  /** Make an entry */
  'POST /content-manager/collection-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Remove an entry */
  'DELETE /content-manager/collection-types/:uid/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Show an entry */
  'GET /content-manager/collection-types/:uid/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: Record<string, unknown> };
  /** Change an entry */
  'PUT /content-manager/collection-types/:uid/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Count an entry's drafts */
  'GET /content-manager/collection-types/:uid/:id/actions/countDraftRelations': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Publish an entry */
  'POST /content-manager/collection-types/:uid/:id/actions/publish': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Make an entry a draft */
  'POST /content-manager/collection-types/:uid/:id/actions/unpublish': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Remove entries */
  'POST /content-manager/collection-types/:uid/actions/bulkDelete': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Publish entries */
  'POST /content-manager/collection-types/:uid/actions/bulkPublish': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Make entries drafts */
  'POST /content-manager/collection-types/:uid/actions/bulkUnpublish': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Count entries' drafts */
  'GET /content-manager/collection-types/:uid/actions/countManyEntriesDraftRelations': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Copy an entry as it is */
  'POST /content-manager/collection-types/:uid/auto-clone/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Copy an entry */
  'POST /content-manager/collection-types/:uid/clone/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Show components */
  'GET /content-manager/components': { path: undefined; takes: unknown; answers: unknown };
  /** Show how a component looks */
  'GET /content-manager/components/:uid/configuration': { path: { uid: string | number }; takes: unknown; answers: ComponentViewsAnswer };
  /** Change its view */
  'PUT /content-manager/components/:uid/configuration': { path: { uid: string | number }; takes: ViewChanges; answers: unknown };
  /** Show content-types */
  'GET /content-manager/content-types': { path: undefined; takes: unknown; answers: unknown };
  /** Show settings of all views */
  'GET /content-manager/content-types-settings': { path: undefined; takes: unknown; answers: unknown };
  /** Show how views look */
  'GET /content-manager/content-types/:uid/configuration': { path: { uid: string | number }; takes: unknown; answers: ViewsAnswer };
  /** Change views */
  'PUT /content-manager/content-types/:uid/configuration': { path: { uid: string | number }; takes: ViewChanges; answers: unknown };
  /** Show all definitions and the sizes of fields */
  'GET /content-manager/init': { path: undefined; takes: unknown; answers: DefinitionsAnswer };
  /** Look for entries that a relation might lead to */
  'GET /content-manager/relations/:uid/:field': { path: { uid: string | number; field: string | number }; takes: unknown; answers: unknown };
  /** Show what a relation of an entry leads to */
  'GET /content-manager/relations/:uid/:id/:field': { path: { uid: string | number; id: string | number; field: string | number }; takes: unknown; answers: unknown };
  /** Remove the entry of a single type */
  'DELETE /content-manager/single-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Show the entry of a single type */
  'GET /content-manager/single-types/:uid': { path: { uid: string | number }; takes: unknown; answers: Record<string, unknown> };
  /** Change or make the entry of a single type */
  'PUT /content-manager/single-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Count its drafts */
  'GET /content-manager/single-types/:uid/actions/countDraftRelations': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Publish the entry of a single type */
  'POST /content-manager/single-types/:uid/actions/publish': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Make the entry of a single type a draft */
  'POST /content-manager/single-types/:uid/actions/unpublish': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Ask whether a UID is free */
  'POST /content-manager/uid/check-availability': { path: undefined; takes: unknown; answers: unknown };
  /** Make a UID that is free */
  'POST /content-manager/uid/generate': { path: undefined; takes: unknown; answers: unknown };
  /** Remove a category with its components */
  'DELETE /content-type-builder/component-categories/:name': { path: { name: string | number }; takes: unknown; answers: unknown };
  /** Rename a category */
  'PUT /content-type-builder/component-categories/:name': { path: { name: string | number }; takes: unknown; answers: unknown };
  /** List the components */
  'GET /content-type-builder/components': { path: undefined; takes: unknown; answers: unknown };
  /** Make a component */
  'POST /content-type-builder/components': { path: undefined; takes: unknown; answers: unknown };
  /** Remove a component */
  'DELETE /content-type-builder/components/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Show a component */
  'GET /content-type-builder/components/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Change a component */
  'PUT /content-type-builder/components/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** List the content-types */
  'GET /content-type-builder/content-types': { path: undefined; takes: unknown; answers: unknown };
  /** Make a content-type */
  'POST /content-type-builder/content-types': { path: undefined; takes: unknown; answers: unknown };
  /** Remove a content-type */
  'DELETE /content-type-builder/content-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Show a content-type */
  'GET /content-type-builder/content-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Change a content-type */
  'PUT /content-type-builder/content-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** List the names that nothing can have */
  'GET /content-type-builder/reserved-names': { path: undefined; takes: unknown; answers: unknown };
  /** Send a mail */
  'POST /email/': { path: undefined; takes: unknown; answers: unknown };
  /** How mail leaves */
  'GET /email/settings': { path: undefined; takes: unknown; answers: MailConfigAnswer };
  /** Send a mail to see whether it comes */
  'POST /email/test': { path: undefined; takes: MailRecipient; answers: unknown };
  /** Tell what a new localization of an entry shares with the others */
  'POST /i18n/content-manager/actions/get-non-localized-fields': { path: undefined; takes: unknown; answers: unknown };
  /** List the locales to choose from */
  'GET /i18n/iso-locales': { path: undefined; takes: unknown; answers: (KnownLocale)[] };
  /** List the locales */
  'GET /i18n/locales': { path: undefined; takes: unknown; answers: (Locale)[] };
  /** Add a locale */
  'POST /i18n/locales': { path: undefined; takes: NewLocale; answers: unknown };
  /** Remove a locale */
  'DELETE /i18n/locales/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Change a locale */
  'PUT /i18n/locales/:id': { path: { id: string | number }; takes: ChangedLocale; answers: unknown };
  /** Show which software this is */
  'GET /octavo/about': { path: undefined; takes: unknown; answers: AboutAnswer };
  /** List what administrators have done */
  'GET /octavo/audit': { path: undefined; takes: unknown; answers: AuditAnswer };
  /** Tell whether definitions can be changed */
  'GET /octavo/content-type-builder': { path: undefined; takes: unknown; answers: BuilderStateAnswer };
  /** Tell what a change of definitions would do */
  'POST /octavo/content-type-builder/preview': { path: undefined; takes: PreviewForm; answers: PreviewAnswer };
  /** Where entries are found from outside */
  'GET /octavo/entry-addresses/:uid': { path: { uid: string | number }; takes: unknown; answers: EntryAddressesAnswer };
  /** Say what of an image has to be seen */
  'PUT /octavo/files/:id/focal-point': { path: { id: string | number }; takes: FocalPointForm; answers: MediaFile };
  /** Tell which entries show a file */
  'GET /octavo/files/:id/uses': { path: { id: string | number }; takes: unknown; answers: FileUsesAnswer };
  /** Show what is done in the background */
  'GET /octavo/jobs': { path: undefined; takes: unknown; answers: WorkAnswer };
  /** Try again what was given up */
  'POST /octavo/jobs/given-up/:id/retry': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Run a task by the clock now */
  'POST /octavo/jobs/tasks/:name/run': { path: { name: string | number }; takes: unknown; answers: unknown };
  /** Publish entries as of when they were published before */
  'POST /octavo/publications/:uid': { path: { uid: string | number }; takes: PublishedAgain; answers: Counted };
  /** Show what was changed, and is planned */
  'GET /octavo/recent': { path: undefined; takes: unknown; answers: RecentAnswer };
  /** Show what is planned for entries */
  'GET /octavo/schedules/:uid': { path: { uid: string | number }; takes: unknown; answers: PlannedAnswer };
  /** Show what is planned for an entry */
  'GET /octavo/schedules/:uid/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: PlansAnswer };
  /** Plan something for an entry */
  'PUT /octavo/schedules/:uid/:id': { path: { uid: string | number; id: string | number }; takes: Plans; answers: PlansAnswer };
  /** Show how the service is */
  'GET /octavo/system': { path: undefined; takes: unknown; answers: SystemAnswer };
  /** List the newest messages to a webhook */
  'GET /octavo/webhooks/:id/deliveries': { path: { id: string | number }; takes: unknown; answers: DeliveriesAnswer };
  /** Send a message to a webhook once more */
  'POST /octavo/webhooks/:id/deliveries/:message/redeliver': { path: { id: string | number; message: string | number }; takes: unknown; answers: unknown };
  /** Upload files; with an id, replace or describe a file */
  'POST /upload': { path: undefined; takes: unknown; answers: unknown };
  /** Remove files and folders */
  'POST /upload/actions/bulk-delete': { path: undefined; takes: Removed; answers: unknown };
  /** Move files and folders */
  'POST /upload/actions/bulk-move': { path: undefined; takes: Moved; answers: unknown };
  /** How lists of files begin */
  'GET /upload/configuration': { path: undefined; takes: unknown; answers: unknown };
  /** Say how lists of files begin */
  'PUT /upload/configuration': { path: undefined; takes: unknown; answers: unknown };
  /** List files */
  'GET /upload/files': { path: undefined; takes: unknown; answers: MediaPage };
  /** Remove a file */
  'DELETE /upload/files/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show a file */
  'GET /upload/files/:id': { path: { id: string | number }; takes: unknown; answers: MediaFile };
  /** All folders, as a tree */
  'GET /upload/folder-structure': { path: undefined; takes: unknown; answers: FolderTreeAnswer };
  /** List folders */
  'GET /upload/folders': { path: undefined; takes: unknown; answers: FoldersAnswer };
  /** Make a folder */
  'POST /upload/folders': { path: undefined; takes: FolderForm; answers: FolderAnswer };
  /** Show a folder */
  'GET /upload/folders/:id': { path: { id: string | number }; takes: unknown; answers: FolderAnswer };
  /** Rename or move a folder */
  'PUT /upload/folders/:id': { path: { id: string | number }; takes: FolderForm; answers: FolderAnswer };
  /** What is done with images */
  'GET /upload/settings': { path: undefined; takes: unknown; answers: ImageSettingsAnswer };
  /** Say what is done with images */
  'PUT /upload/settings': { path: undefined; takes: ImageSettings; answers: unknown };
  /** How users register */
  'GET /users-permissions/advanced': { path: undefined; takes: unknown; answers: AdvancedAnswer };
  /** Say how users register */
  'PUT /users-permissions/advanced': { path: undefined; takes: AdvancedSettings; answers: unknown };
  /** Texts of mails to users */
  'GET /users-permissions/email-templates': { path: undefined; takes: unknown; answers: Record<string, MailTemplate> };
  /** Set these texts */
  'PUT /users-permissions/email-templates': { path: undefined; takes: SaidTemplates; answers: unknown };
  /** List what can be granted to users */
  'GET /users-permissions/permissions': { path: undefined; takes: unknown; answers: SiteActionsAnswer };
  /** List policies: there are none */
  'GET /users-permissions/policies': { path: undefined; takes: unknown; answers: unknown };
  /** Providers to sign in with */
  'GET /users-permissions/providers': { path: undefined; takes: unknown; answers: Record<string, Provider> };
  /** Set providers */
  'PUT /users-permissions/providers': { path: undefined; takes: SaidProviders; answers: unknown };
  /** List roles of users */
  'GET /users-permissions/roles': { path: undefined; takes: unknown; answers: SiteRolesAnswer };
  /** Make a role of users */
  'POST /users-permissions/roles': { path: undefined; takes: SaidSiteRole; answers: unknown };
  /** Remove a role of users */
  'DELETE /users-permissions/roles/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show a role of users */
  'GET /users-permissions/roles/:id': { path: { id: string | number }; takes: unknown; answers: SiteRoleAnswer };
  /** Change a role of users */
  'PUT /users-permissions/roles/:id': { path: { id: string | number }; takes: SaidSiteRole; answers: unknown };
  /** List the content API's routes */
  'GET /users-permissions/routes': { path: undefined; takes: unknown; answers: SiteRoutesAnswer };
}
