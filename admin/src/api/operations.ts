// Written by `python -m octavo.api.admin.contract`, from the rows of src/octavo/api/admin/endpoints. Do not edit.

/** The versions of Octavo and of the supported v4. */
export interface About {
  version: string;
  reference: string;
  environment: string;
}

/** Versions. */
export interface AboutAnswer {
  data: About;
}

/** A new secret of a token. */
export interface AccessKey {
  id: number;
  accessKey: string;
}

/** A new secret of a token. */
export interface AccessKeyAnswer {
  data: AccessKey;
}

/** The actions of an API or a plugin, by controller. */
export interface ActionControllers {
  controllers: Record<string, (string)[]>;
}

/** Whether a user role has an action. */
export interface ActionState {
  enabled: boolean;
  policy?: string;
}

/** The content API's actions, by API and plugin. */
export interface ActionsAnswer {
  data: Record<string, ActionControllers>;
}

/** An admin role, and its number of administrators. */
export interface AdminRole {
  id: number;
  name: string;
  code: string;
  description: string | null;
  createdAt?: string;
  updatedAt?: string;
  usersCount?: number;
}

/** An admin role. */
export interface AdminRoleAnswer {
  data: AdminRole;
}

/** The admin roles. */
export interface AdminRolesAnswer {
  data: (AdminRole)[];
}

/** An administrator. */
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

/** An administrator. */
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

/** The settings of user registration, and the roles that users can get. */
export interface AdvancedAnswer {
  settings: AdvancedSettings;
  roles: (SiteRole)[];
}

/** The settings of user registration. */
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

/** An attribute, as in the definition. */
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

/** A page of the audit log, and the actions to filter by. */
export interface AuditAnswer {
  data: AuditPage;
}

/** An action of an administrator. */
export interface AuditEntry {
  at: string | null;
  administrator: number;
  email: string | null;
  door: string;
  action: string;
  uid: string | null;
  entry: number | null;
  request: string | null;
  client: string | null;
  userAgent: string | null;
  details: unknown;
}

/** A page of the audit log. */
export interface AuditPage {
  results: (AuditEntry)[];
  pagination: Pagination;
  actions: (string)[];
}

/** Values for several entries. */
export interface BatchEdit {
  entries: (SeenEntry)[];
  data: Record<string, unknown>;
}

/** Whether definitions can be changed; if not, why. */
export interface BuilderState {
  isChangeable: boolean;
  reason: 'production' | 'rights' | null;
}

/** Whether definitions can be changed. */
export interface BuilderStateAnswer {
  data: BuilderState;
}

/** The schedules in a period, earliest first. `isTruncated`: there are more than can be shown. */
export interface CalendarAnswer {
  data: (CalendarEntry)[];
  isTruncated: boolean;
}

/** An entry with a schedule. `mayChange`: the administrator can move the schedule. */
export interface CalendarEntry {
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
  mayChange: boolean;
}

/** All available permissions. */
export interface CatalogueSections {
  plugins: (SettingsAction)[];
  settings: (SettingsAction)[];
  singleTypes: ContentSection;
  collectionTypes: ContentSection;
}

/** Changes of another administrator. */
export interface ChangedAdministrator {
  email?: string;
  firstname?: string;
  lastname?: string;
  username?: string;
  password?: string;
  isActive?: boolean;
  roles?: (number)[];
}

/** Texts of several files. */
export interface ChangedFileTexts {
  files: (FileTexts)[];
}

/** The files that were updated, without those that no longer exist. */
export interface ChangedFilesAnswer {
  data: (MediaFile)[];
}

/** New values; null resets one. */
export interface ChangedLiveSettings {
  logLevel?: string | null;
  maintenance?: string | null;
}

/** Changes of a locale. */
export interface ChangedLocale {
  name?: string | null;
  isDefault?: boolean;
}

/** Changes of the administrator's own profile. */
export interface ChangedSelf {
  email?: string;
  firstname?: string;
  lastname?: string;
  username?: string;
  preferedLanguage?: string;
  currentPassword?: string;
  password?: string;
}

/** A scheduled task. */
export interface ClockTask {
  name: string;
  rule: string;
  zone: string;
  lastAt: string;
  nextAt: string | null;
}

/** A component. */
export interface ComponentSchema {
  uid: string;
  isDisplayed: boolean;
  apiID: string;
  category: string;
  info: Info;
  options?: Record<string, unknown>;
  pluginOptions?: Record<string, unknown>;
  attributes: Record<string, Attribute>;
}

/** The view configuration of a component and its components. */
export interface ComponentViews {
  component: View;
  components: Record<string, View>;
}

/** The view configuration of a component. */
export interface ComponentViewsAnswer {
  data: ComponentViews;
}

/** An action on content types. */
export interface ContentAction {
  label: string;
  actionId: string;
  subjects: (string)[];
  applyToProperties?: (string)[];
}

/** The available permissions on content types. */
export interface ContentSection {
  actions: (ContentAction)[];
  subjects: (GrantedSubject)[];
}

/** A content type. */
export interface ContentTypeSchema {
  uid: string;
  isDisplayed: boolean;
  apiID: string;
  kind: 'collectionType' | 'singleType';
  info: Info;
  options?: Record<string, unknown>;
  pluginOptions?: Record<string, unknown>;
  attributes: Record<string, Attribute>;
}

/** A number of items. */
export interface Counted {
  count: number;
}

/** The credentials of an administrator. */
export interface Credentials {
  email: string;
  password: string;
}

/** All definitions, and the sizes of fields. */
export interface Definitions {
  fieldSizes: Record<string, FieldSize>;
  components: (ComponentSchema)[];
  contentTypes: (ContentTypeSchema)[];
}

/** All definitions. */
export interface DefinitionsAnswer {
  data: Definitions;
}

/** The latest messages of a webhook, the number of consecutive failures, and why it was disabled. */
export interface Deliveries {
  results: (DeliveryRecord)[];
  failures: number;
  disabledBecause: string | null;
  isSigned: boolean;
}

/** The latest messages of a webhook. */
export interface DeliveriesAnswer {
  data: Deliveries;
}

/** A webhook message, and the result of its last delivery. */
export interface DeliveryRecord {
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

/** The appearance of a field in a form. */
export interface EditLook {
  label?: string;
  description?: string;
  placeholder?: string;
  visible?: boolean;
  editable?: boolean;
  mainField?: string;
}

/** The last editor of an entry. */
export interface Editor {
  id: number;
  firstname: string | null;
  lastname: string | null;
  username: string | null;
}

export interface EmailTemplatesInput {
  'email-templates': Record<string, MailTemplate>;
}

/** An access token and its administrator. */
export interface Entered {
  token: string;
  user: Administrator;
}

/** The public URLs of entries: the path in the content API, and a preview URL with placeholders in braces. */
export interface EntryAddresses {
  api: string | null;
  preview: string | null;
}

/** The public URLs of entries. */
export interface EntryAddressesAnswer {
  data: EntryAddresses;
}

/** Entries of a content type. */
export interface EntryIds {
  ids: (number)[];
}

/** The localizations of an entry that the administrator can read, beginning with the entry. */
export interface EntryLocalizations {
  id: number;
  localizations: (LocalizationState)[];
}

/** A page of entries. */
export interface EntryPage {
  results: (Record<string, unknown>)[];
  pagination: Pagination;
}

/** A job or message that was given up. */
export interface FailedWork {
  id: number;
  kind: string;
  what: string;
  diedAt: string;
  attempts: number;
  error: string;
}

/** The default width of a field, in columns of twelve. */
export interface FieldSize {
  default: number;
  isResizable: boolean;
}

/** A smaller format of an image. */
export interface FileFormat {
  url: string;
  width: number;
  height: number;
  size: number;
}

/** A file before and after a change; null if it does not exist. */
export interface FilePreview {
  path: string;
  before: string | null;
  after: string | null;
}

/** Texts of a file; missing ones stay. */
export interface FileTexts {
  id: number;
  alternativeText?: string | null;
  caption?: string | null;
}

/** An entry that uses a file. `field` is the path of the attribute; `locale` is null without localization. */
export interface FileUse {
  uid: string;
  kind: string;
  type: string;
  id: number;
  label: string;
  locale: string | null;
  field: string;
}

/** Entries that use a file. `hidden` is the number of others, which the administrator cannot read. */
export interface FileUsesAnswer {
  data: (FileUse)[];
  hidden: number;
}

/** A point in an image, as fractions of its width and height from 0 to 1. */
export interface FocalPoint {
  x: number;
  y: number;
}

/** The focal point of an image, or null for none. */
export interface FocalPointForm {
  focalPoint: FocalPoint | null;
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

/** A folder with its subfolders. */
export interface FolderBranch {
  id: number;
  name: string;
  children: (FolderBranch)[];
}

/** A folder's name and parent; null is the root. */
export interface FolderForm {
  name: string;
  parent: number | null;
}

/** A folder, as nested in its content. */
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

/** The recipient of a password reset token. */
export interface ForgottenPassword {
  email: string;
}

/** A named group of fields in a form. */
export interface FormSection {
  label: string;
  fields: (string)[];
}

/** The sections of a content type's form, and how the form shows them. */
export interface FormSections {
  display: 'form' | 'sections' | 'tabs';
  items: (FormSection)[];
}

/** A permission of a role, on a content type if there is a subject. */
export interface Grant {
  action: string;
  subject: string | null;
  properties: RightProperties;
  conditions: (string)[];
}

/** All available permissions and conditions. */
export interface GrantCatalogue {
  conditions: (GrantedCondition)[];
  sections: CatalogueSections;
}

/** All available permissions. */
export interface GrantCatalogueAnswer {
  data: GrantCatalogue;
}

/** A condition for permissions. */
export interface GrantedCondition {
  id: string;
  displayName: string;
  category: string;
}

/** A field or a locale to which a permission can be restricted. */
export interface GrantedField {
  label: string;
  value: string;
  required?: boolean;
  children?: (GrantedField)[];
}

/** A content type to which permissions apply. */
export interface GrantedSubject {
  uid: string;
  label: string;
  properties: (GrantedField)[];
}

/** All permissions of a role. */
export interface Grants {
  permissions: (Grant)[];
}

/** Several ids. */
export interface Ids {
  ids: (number)[];
}

/** The settings of image processing. */
export interface ImageSettings {
  sizeOptimization: boolean;
  responsiveDimensions: boolean;
  autoOrientation: boolean;
}

/** The settings of image processing. */
export interface ImageSettingsAnswer {
  data: ImageSettings;
}

/** The names of a definition. */
export interface Info {
  displayName: string;
  singularName?: string;
  pluralName?: string;
  description?: string;
  icon?: string;
}

/** Versions and environment. */
export interface Information {
  currentEnvironment: string;
  autoReload: boolean;
  strapiVersion: string;
}

/** Versions and environment. */
export interface InformationAnswer {
  data: Information;
}

/** Entries that cannot be published or changed. */
export interface InvalidEntries {
  data: (InvalidEntry)[];
}

/** An entry and what prevents its publication or change. */
export interface InvalidEntry {
  id: number;
  errors: (ValueProblem)[];
}

/** A new administrator to invite. */
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

/** The invited person. */
export interface InvitationNames {
  email: string;
  firstname: string | null;
  lastname: string | null;
}

/** An accepted invitation. */
export interface Invited {
  registrationToken: string;
  userInfo: RegistrationDetails;
}

/** An invited administrator, with the invitation token, which only this response has. */
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

/** An invited administrator. */
export interface InvitedAdministratorAnswer {
  data: InvitedAdministrator;
}

/** The columns of the list and the rows of the form. */
export interface Layouts {
  list: (string)[];
  edit: ((PlacedField)[])[];
}

/** The appearance of a field in a list. */
export interface ListLook {
  label?: string;
  searchable?: boolean;
  sortable?: boolean;
  mainField?: string;
}

/** The log level of all processes, and the message of maintenance mode. None: as in the settings, or off. */
export interface LiveSettings {
  logLevel: string | null;
  maintenance: string | null;
}

/** The log level and maintenance mode. */
export interface LiveSettingsAnswer {
  data: LiveSettings;
}

/** A locale of content. */
export interface Locale {
  id: number;
  name: string;
  code: string;
  isDefault: boolean;
  createdAt?: string;
  updatedAt?: string;
}

/** A locale that can be added. */
export interface LocaleOption {
  code: string;
  name: string;
}

/** A localization of an entry. `outdatedSince`: when the default locale was updated, if that is later. */
export interface LocalizationState {
  id: number;
  locale: string | null;
  isDraft: boolean;
  updatedAt: string | null;
  outdatedSince: string | null;
}

/** The localizations of several entries. */
export interface LocalizationsAnswer {
  data: (EntryLocalizations)[];
}

/** The data of the sign-in page. */
export interface LoginPage {
  uuid: string | boolean;
  hasAdmin: boolean;
  menuLogo: string | null;
  authLogo: string | null;
}

/** The data of the sign-in page. */
export interface LoginPageAnswer {
  data: LoginPage;
}

/** A custom logo. */
export interface Logo {
  name?: string | null;
  url?: string | null;
  width?: number | null;
  height?: number | null;
  ext?: string | null;
  size?: number | null;
}

/** The project's logos: in the menu and on the sign-in page. */
export interface Logos {
  menuLogo: Logo | null;
  authLogo: Logo | null;
}

/** The appearance of a field. */
export interface Look {
  edit: EditLook;
  list: ListLook;
}

/** The email settings. */
export interface MailConfig {
  provider: string;
  settings: MailSenders;
}

/** The email settings. */
export interface MailConfigAnswer {
  config: MailConfig;
}

/** The recipient of a test mail. */
export interface MailRecipient {
  to: string;
}

/** The senders of mails. */
export interface MailSenders {
  defaultFrom?: string;
  defaultReplyTo?: string;
  testAddress?: string;
}

/** A template of a mail to users. */
export interface MailTemplate {
  display: string;
  icon: string;
  options: TemplateOptions;
}

/** The message of maintenance mode; null if it is off. */
export interface Maintenance {
  message: string | null;
}

/** Whether the service is read-only. */
export interface MaintenanceAnswer {
  data: Maintenance;
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

/** The page number, page size and totals. */
export interface MediaPagination {
  page: number;
  pageSize: number;
  pageCount: number;
  total: number;
}

/** Files and folders to move to another folder; null is the root. */
export interface Moved {
  fileIds?: (number)[];
  folderIds?: (number)[];
  destinationFolderId: number | null;
}

/** The name and description of a role. */
export interface NamedRole {
  name: string;
  description?: string;
}

/** The first administrator. `code` is the code from the log, if required. */
export interface NewAdministrator {
  email: string;
  password: string;
  firstname: string;
  lastname?: string;
  code?: string;
}

/** A locale to add. */
export interface NewLocale {
  code: string;
  name?: string | null;
  isDefault: boolean;
}

/** A new password, with the token from the email. */
export interface NewPassword {
  resetPasswordToken: string;
  password: string;
}

/** The values of a token. */
export interface NewToken {
  name: string;
  description?: string;
  type?: string;
  lifespan?: number | null;
  permissions?: (string)[] | null;
}

/** The page number, page size and totals. */
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

/** The schedules of a content type's entries, the next one first. */
export interface PlannedAnswer {
  data: (PlannedMoment)[];
}

/** An entry with a schedule. */
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

/** A scheduled action on an entry, and its time. */
export interface PlannedMoment {
  id: number;
  plan: 'publish' | 'unpublish' | 'appear';
  due: string;
  error?: string;
  problems?: (string)[];
}

/** When an entry is published and unpublished. */
export interface Plans {
  publishAt?: string | null;
  unpublishAt?: string | null;
}

/** An entry's schedule. */
export interface PlansAnswer {
  data: ScheduleState;
}

/** The effects of a change. `kept` stays in the database without a definition. */
export interface Preview {
  uid: string;
  files: (FilePreview)[];
  tables: (TablePreview)[];
  kept: (TablePreview)[];
}

/** The effects of a change. */
export interface PreviewAnswer {
  data: Preview;
}

/** A one-time code, and the seconds until it expires. */
export interface PreviewCode {
  code: string;
  expiresIn: number;
}

/** A new preview code. */
export interface PreviewCodeAnswer {
  data: PreviewCode;
}

/** The code from the URL of the preview. */
export interface PreviewCodeForm {
  code: string;
}

/** A change to preview: its target (a UID or a category), and the body of the request. */
export interface PreviewForm {
  change: 'createContentType' | 'updateContentType' | 'deleteContentType' | 'createComponent' | 'updateComponent' | 'deleteComponent' | 'renameCategory' | 'deleteCategory';
  name?: string;
  form?: unknown;
}

/** A token that reads drafts of a content type, and the entry that the preview was opened for. */
export interface PreviewToken {
  token: string;
  expiresAt: string;
  type: string;
  id: number;
}

/** A new preview token. */
export interface PreviewTokenAnswer {
  data: PreviewToken;
}

/** Whether a file is private, and whether the settings, the storage and its folder let you change it. */
export interface Privacy {
  private: boolean;
  canChange: boolean;
  byFolder: boolean;
}

/** Whether a file is private. */
export interface PrivacyAnswer {
  data: Privacy;
}

/** Whether a file or a folder is to be private. */
export interface PrivacyForm {
  private: boolean;
}

/** The IDs of folders that are private on their own, and whether the settings and the storage let you change them. */
export interface PrivateFolders {
  ids: (number)[];
  canChange: boolean;
}

/** The private folders. */
export interface PrivateFoldersAnswer {
  data: PrivateFolders;
}

/** A sign-in provider. */
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

/** All providers. */
export interface ProvidersInput {
  providers: Record<string, Provider>;
}

/** An entry and its publication date. */
export interface Publication {
  id: number;
  publishedAt: string;
}

/** Recent changes, the administrator's own drafts, and the next schedules. */
export interface Recent {
  changed: (RecentEntry)[];
  drafts: (RecentEntry)[];
  planned: (PlannedEntry)[];
}

/** Recent changes, drafts and schedules. */
export interface RecentAnswer {
  data: Recent;
}

/** A recently changed entry. */
export interface RecentEntry {
  uid: string;
  id: number;
  name: string;
  locale: string | null;
  isDraft: boolean;
  updatedAt: string | null;
  updatedBy: Editor | null;
}

/** The account of an invited administrator. */
export interface RegistrationDetails {
  firstname: string;
  lastname?: string;
  password: string;
}

/** Files and folders to delete, with the content of folders. */
export interface Removed {
  fileIds?: (number)[];
  folderIds?: (number)[];
}

/** Entries to publish with their former publication dates. */
export interface RepublishInput {
  entries: (Publication)[];
}

/** A granted action, on a content type if there is a subject. */
export interface Right {
  id: number;
  action: string;
  actionParameters: Record<string, unknown>;
  subject: string | null;
  properties: RightProperties;
  conditions: (string)[];
}

/** The restrictions of a permission: fields by path, locales by code. */
export interface RightProperties {
  fields?: (string)[] | null;
  locales?: (string)[] | null;
}

/** The administrator's permissions. */
export interface RightsAnswer {
  data: (Right)[];
}

/** A role, as nested in administrators. */
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

/** Why a scheduled publication or unpublication failed. */
export interface ScheduleFailure {
  plan: 'publish' | 'unpublish' | 'appear';
  dueAt: string;
  failedAt: string;
  error: string;
}

/** An entry's schedule, its last failure, and missing values that prevent publication. */
export interface ScheduleState {
  publishAt?: string | null;
  unpublishAt?: string | null;
  failure?: ScheduleFailure;
  problems?: (string)[];
}

/** An entry and its last update, as the client has read it. */
export interface SeenEntry {
  id: number;
  updatedAt?: string;
}

/** A new session. */
export interface SessionAnswer {
  data: Entered;
}

/** An action without a subject. `plugin` is set for plugins, `category` for settings. */
export interface SettingsAction {
  displayName: string;
  action: string;
  subCategory: string;
  plugin?: string;
  category?: string;
}

/** A role with which the administrator can share views. */
export interface ShareableRole {
  id: number;
  name: string;
}

/** A shared view. `roles` is empty unless the administrator can change it. */
export interface SharedView {
  name: string;
  search: string;
  roles: (number)[] | null;
  id: number;
  author: string | null;
  mayChange: boolean;
}

/** A view to share: the query of a list's URL, and the ids of roles, or null for everyone. */
export interface SharedViewForm {
  name: string;
  search: string;
  roles: (number)[] | null;
}

/** The shared views of a content type, and the roles with which the administrator can share. */
export interface SharedViewsAnswer {
  data: (SharedView)[];
  roles: (ShareableRole)[];
}

/** All actions that user roles can have. */
export interface SiteActionsAnswer {
  permissions: Record<string, SiteControllers>;
}

/** The actions of an API or a plugin, by controller and action. */
export interface SiteControllers {
  controllers: Record<string, Record<string, ActionState>>;
}

/** A user role. Lists have `nb_users`, a single role has `permissions`. */
export interface SiteRole {
  id: number;
  name: string;
  description: string | null;
  type: string;
  nb_users?: number;
  permissions?: Record<string, SiteControllers>;
}

/** A user role. */
export interface SiteRoleAnswer {
  role: SiteRole;
}

/** User roles. */
export interface SiteRolesAnswer {
  roles: (SiteRole)[];
}

/** A route of the content API, and its action. */
export interface SiteRoute {
  method: string;
  path: string;
  handler: string;
}

/** The routes of the content API. */
export interface SiteRoutesAnswer {
  routes: Record<string, (SiteRoute)[]>;
}

/** The system status. `slowRequests` and `log` are those of the responding process, one of `workers`. */
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

/** The system status. */
export interface SystemAnswer {
  data: System;
}

/** The database: its size in bytes, and its response time. */
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

/** An enabled plugin. */
export interface SystemPlugin {
  name: string;
  displayName: string;
  description?: string;
}

/** A slow request. */
export interface SystemSlowRequest {
  at: string;
  method: string;
  path: string;
  status: number;
  milliseconds: number;
}

/** A change of a table or column. `was` is its former name or type. */
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

/** The sender of a mail. */
export interface TemplateSender {
  name: string;
  email: string;
}

/** A token. `lifespan` is in milliseconds. Only the response to its creation has the `accessKey`. */
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

/** The result of a webhook's test. */
export interface TriggerAnswer {
  data: TriggerOutcome;
}

/** The result of a webhook's test. */
export interface TriggerOutcome {
  statusCode: number;
  message?: string;
}

/** The values of a user role. */
export interface UserRoleInput {
  name: string;
  description: string;
  permissions: Record<string, SiteControllers>;
}

/** An invalid or missing value. */
export interface ValueProblem {
  path: (string)[];
  message: string;
  name: string;
}

/** The view configuration of a definition. Without `sections`, the form chooses them. */
export interface View {
  uid: string;
  settings: ViewSettings;
  metadatas: Record<string, Look>;
  layouts: Layouts;
  sections?: FormSections;
  category?: string;
  isComponent?: boolean;
}

/** Changes of a view configuration. Each part is replaced as a whole; null sections are chosen by the form. */
export interface ViewChanges {
  settings?: ViewSettings;
  metadatas?: Record<string, Look>;
  layouts?: Layouts;
  sections?: FormSections | null;
}

/** The initial settings of lists. */
export interface ViewSettings {
  bulkable: boolean;
  filterable: boolean;
  searchable: boolean;
  pageSize: number;
  mainField: string;
  defaultSortBy: string;
  defaultSortOrder: string;
}

/** The view configuration of a content type and its components. */
export interface Views {
  contentType: View;
  components: Record<string, View>;
}

/** The view configuration of a content type. */
export interface ViewsAnswer {
  data: Views;
}

/** A queued job or message. */
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
  data: WebhookDetails;
}

/** A webhook. */
export interface WebhookDetails {
  id: number;
  name: string;
  url: string;
  headers: Record<string, string>;
  events: (string)[];
  isEnabled: boolean;
}

/** The values of a webhook. */
export interface WebhookInput {
  name: string;
  url: string;
  headers: Record<string, string>;
  events: (string)[];
  isEnabled?: boolean;
}

/** Webhooks. */
export interface WebhooksAnswer {
  data: (WebhookDetails)[];
}

/** Background work. */
export interface Work {
  tasks: (ClockTask)[];
  waiting: (WaitingWork)[];
  givenUp: (FailedWork)[];
}

/** Background work. */
export interface WorkAnswer {
  data: Work;
}

export interface Operations {
  /** List API tokens */
  'GET /admin/api-tokens': { path: undefined; takes: unknown; answers: TokensAnswer };
  /** Create one of the API tokens */
  'POST /admin/api-tokens': { path: undefined; takes: NewToken; answers: TokenAnswer };
  /** Delete one of the API tokens */
  'DELETE /admin/api-tokens/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show one of the API tokens */
  'GET /admin/api-tokens/:id': { path: { id: string | number }; takes: unknown; answers: TokenAnswer };
  /** Update one of the API tokens */
  'PUT /admin/api-tokens/:id': { path: { id: string | number }; takes: NewToken; answers: TokenAnswer };
  /** Regenerate a token */
  'POST /admin/api-tokens/:id/regenerate': { path: { id: string | number }; takes: unknown; answers: AccessKeyAnswer };
  /** Not here */
  'GET /admin/audit-logs': { path: undefined; takes: unknown; answers: unknown };
  /** List the content API's actions */
  'GET /admin/content-api/permissions': { path: undefined; takes: unknown; answers: ActionsAnswer };
  /** List the content API's routes */
  'GET /admin/content-api/routes': { path: undefined; takes: unknown; answers: RoutesAnswer };
  /** Send a password reset email */
  'POST /admin/forgot-password': { path: undefined; takes: ForgottenPassword; answers: unknown };
  /** Show versions */
  'GET /admin/information': { path: undefined; takes: unknown; answers: InformationAnswer };
  /** Show the settings of the login page */
  'GET /admin/init': { path: undefined; takes: unknown; answers: LoginPageAnswer };
  /** Not here */
  'GET /admin/license-limit-information': { path: undefined; takes: unknown; answers: unknown };
  /** Not here */
  'GET /admin/license-trial-time-left': { path: undefined; takes: unknown; answers: unknown };
  /** Log in */
  'POST /admin/login': { path: undefined; takes: Credentials; answers: SessionAnswer };
  /** End a session */
  'POST /admin/logout': { path: undefined; takes: unknown; answers: unknown };
  /** List the permissions for administrators */
  'GET /admin/permissions': { path: undefined; takes: unknown; answers: GrantCatalogueAnswer };
  /** Check one's own permissions */
  'POST /admin/permissions/check': { path: undefined; takes: unknown; answers: unknown };
  /** List plugins */
  'GET /admin/plugins': { path: undefined; takes: unknown; answers: unknown };
  /** Show the logos */
  'GET /admin/project-settings': { path: undefined; takes: unknown; answers: Logos };
  /** Update the logos */
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
  'POST /admin/register': { path: undefined; takes: Invited; answers: SessionAnswer };
  /** Create the first administrator */
  'POST /admin/register-admin': { path: undefined; takes: NewAdministrator; answers: SessionAnswer };
  /** Show an invitation */
  'GET /admin/registration-info': { path: undefined; takes: unknown; answers: InvitationAnswer };
  /** Refresh an access token */
  'POST /admin/renew-token': { path: undefined; takes: unknown; answers: unknown };
  /** Reset a password with an emailed token */
  'POST /admin/reset-password': { path: undefined; takes: NewPassword; answers: SessionAnswer };
  /** Not here */
  'GET /admin/review-workflows/workflows': { path: undefined; takes: unknown; answers: unknown };
  /** List administrator roles */
  'GET /admin/roles': { path: undefined; takes: unknown; answers: AdminRolesAnswer };
  /** Create an administrator role */
  'POST /admin/roles': { path: undefined; takes: NamedRole; answers: AdminRoleAnswer };
  /** Delete an administrator role */
  'DELETE /admin/roles/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show an administrator role */
  'GET /admin/roles/:id': { path: { id: string | number }; takes: unknown; answers: AdminRoleAnswer };
  /** Update an administrator role */
  'PUT /admin/roles/:id': { path: { id: string | number }; takes: NamedRole; answers: AdminRoleAnswer };
  /** Show a role's permissions */
  'GET /admin/roles/:id/permissions': { path: { id: string | number }; takes: unknown; answers: RightsAnswer };
  /** Update a role's permissions */
  'PUT /admin/roles/:id/permissions': { path: { id: string | number }; takes: Grants; answers: RightsAnswer };
  /** Delete administrator roles */
  'POST /admin/roles/batch-delete': { path: undefined; takes: Ids; answers: unknown };
  /** Show the telemetry settings (always off) */
  'GET /admin/telemetry-properties': { path: undefined; takes: unknown; answers: unknown };
  /** List transfer tokens */
  'GET /admin/transfer/tokens': { path: undefined; takes: unknown; answers: TokensAnswer };
  /** Create one of the transfer tokens */
  'POST /admin/transfer/tokens': { path: undefined; takes: NewToken; answers: TokenAnswer };
  /** Delete one of the transfer tokens */
  'DELETE /admin/transfer/tokens/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show one of the transfer tokens */
  'GET /admin/transfer/tokens/:id': { path: { id: string | number }; takes: unknown; answers: TokenAnswer };
  /** Update one of the transfer tokens */
  'PUT /admin/transfer/tokens/:id': { path: { id: string | number }; takes: NewToken; answers: TokenAnswer };
  /** Regenerate a token */
  'POST /admin/transfer/tokens/:id/regenerate': { path: { id: string | number }; takes: unknown; answers: AccessKeyAnswer };
  /** List administrators */
  'GET /admin/users': { path: undefined; takes: unknown; answers: AdministratorPageAnswer };
  /** Invite an administrator */
  'POST /admin/users': { path: undefined; takes: Invitation; answers: InvitedAdministratorAnswer };
  /** Delete an administrator */
  'DELETE /admin/users/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show an administrator */
  'GET /admin/users/:id': { path: { id: string | number }; takes: unknown; answers: AdministratorAnswer };
  /** Update an administrator */
  'PUT /admin/users/:id': { path: { id: string | number }; takes: ChangedAdministrator; answers: AdministratorAnswer };
  /** Delete administrators */
  'POST /admin/users/batch-delete': { path: undefined; takes: Ids; answers: unknown };
  /** Show the current administrator */
  'GET /admin/users/me': { path: undefined; takes: unknown; answers: AdministratorAnswer };
  /** Update the current administrator */
  'PUT /admin/users/me': { path: undefined; takes: ChangedSelf; answers: AdministratorAnswer };
  /** Show one's own permissions */
  'GET /admin/users/me/permissions': { path: undefined; takes: unknown; answers: RightsAnswer };
  /** List webhooks */
  'GET /admin/webhooks': { path: undefined; takes: unknown; answers: WebhooksAnswer };
  /** Create a webhook */
  'POST /admin/webhooks': { path: undefined; takes: WebhookInput; answers: WebhookAnswer };
  /** Delete a webhook */
  'DELETE /admin/webhooks/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show a webhook */
  'GET /admin/webhooks/:id': { path: { id: string | number }; takes: unknown; answers: WebhookAnswer };
  /** Update a webhook */
  'PUT /admin/webhooks/:id': { path: { id: string | number }; takes: WebhookInput; answers: WebhookAnswer };
  /** Test a webhook */
  'POST /admin/webhooks/:id/trigger': { path: { id: string | number }; takes: unknown; answers: TriggerAnswer };
  /** Delete some */
  'POST /admin/webhooks/batch-delete': { path: undefined; takes: Ids; answers: unknown };
  /** List entries */
  'GET /content-manager/collection-types/:uid': { path: { uid: string | number }; takes: unknown; answers: EntryPage };
  /** Create an entry */
  'POST /content-manager/collection-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Delete an entry */
  'DELETE /content-manager/collection-types/:uid/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Show an entry */
  'GET /content-manager/collection-types/:uid/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: Record<string, unknown> };
  /** Update an entry */
  'PUT /content-manager/collection-types/:uid/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Count an entry's draft relations */
  'GET /content-manager/collection-types/:uid/:id/actions/countDraftRelations': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Publish an entry */
  'POST /content-manager/collection-types/:uid/:id/actions/publish': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Unpublish an entry */
  'POST /content-manager/collection-types/:uid/:id/actions/unpublish': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Remove entries */
  'POST /content-manager/collection-types/:uid/actions/bulkDelete': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Publish entries */
  'POST /content-manager/collection-types/:uid/actions/bulkPublish': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Unpublish entries */
  'POST /content-manager/collection-types/:uid/actions/bulkUnpublish': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Count the draft relations of several entries */
  'GET /content-manager/collection-types/:uid/actions/countManyEntriesDraftRelations': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Duplicate an entry unchanged */
  'POST /content-manager/collection-types/:uid/auto-clone/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Duplicate an entry */
  'POST /content-manager/collection-types/:uid/clone/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: unknown };
  /** Show components */
  'GET /content-manager/components': { path: undefined; takes: unknown; answers: unknown };
  /** Show a component's view settings */
  'GET /content-manager/components/:uid/configuration': { path: { uid: string | number }; takes: unknown; answers: ComponentViewsAnswer };
  /** Update a component's view settings */
  'PUT /content-manager/components/:uid/configuration': { path: { uid: string | number }; takes: ViewChanges; answers: unknown };
  /** Show content types */
  'GET /content-manager/content-types': { path: undefined; takes: unknown; answers: unknown };
  /** Show the view settings of all content types */
  'GET /content-manager/content-types-settings': { path: undefined; takes: unknown; answers: unknown };
  /** Show a content type's view settings */
  'GET /content-manager/content-types/:uid/configuration': { path: { uid: string | number }; takes: unknown; answers: ViewsAnswer };
  /** Update a content type's view settings */
  'PUT /content-manager/content-types/:uid/configuration': { path: { uid: string | number }; takes: ViewChanges; answers: unknown };
  /** Show all definitions and field sizes */
  'GET /content-manager/init': { path: undefined; takes: unknown; answers: DefinitionsAnswer };
  /** Search for entries to relate */
  'GET /content-manager/relations/:uid/:field': { path: { uid: string | number; field: string | number }; takes: unknown; answers: unknown };
  /** List an entry's related entries */
  'GET /content-manager/relations/:uid/:id/:field': { path: { uid: string | number; id: string | number; field: string | number }; takes: unknown; answers: unknown };
  /** Delete the entry of a single type */
  'DELETE /content-manager/single-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Show the entry of a single type */
  'GET /content-manager/single-types/:uid': { path: { uid: string | number }; takes: unknown; answers: Record<string, unknown> };
  /** Create or update the entry of a single type */
  'PUT /content-manager/single-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Count the draft relations of a single type */
  'GET /content-manager/single-types/:uid/actions/countDraftRelations': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Publish the entry of a single type */
  'POST /content-manager/single-types/:uid/actions/publish': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Unpublish the entry of a single type */
  'POST /content-manager/single-types/:uid/actions/unpublish': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Check whether a UID is available */
  'POST /content-manager/uid/check-availability': { path: undefined; takes: unknown; answers: unknown };
  /** Generate an available UID */
  'POST /content-manager/uid/generate': { path: undefined; takes: unknown; answers: unknown };
  /** Delete a category and its components */
  'DELETE /content-type-builder/component-categories/:name': { path: { name: string | number }; takes: unknown; answers: unknown };
  /** Rename a category */
  'PUT /content-type-builder/component-categories/:name': { path: { name: string | number }; takes: unknown; answers: unknown };
  /** List components */
  'GET /content-type-builder/components': { path: undefined; takes: unknown; answers: unknown };
  /** Create a component */
  'POST /content-type-builder/components': { path: undefined; takes: unknown; answers: unknown };
  /** Delete a component */
  'DELETE /content-type-builder/components/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Show a component */
  'GET /content-type-builder/components/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Update a component */
  'PUT /content-type-builder/components/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** List content types */
  'GET /content-type-builder/content-types': { path: undefined; takes: unknown; answers: unknown };
  /** Create a content type */
  'POST /content-type-builder/content-types': { path: undefined; takes: unknown; answers: unknown };
  /** Delete a content type */
  'DELETE /content-type-builder/content-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Show a content type */
  'GET /content-type-builder/content-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** Update a content type */
  'PUT /content-type-builder/content-types/:uid': { path: { uid: string | number }; takes: unknown; answers: unknown };
  /** List reserved names */
  'GET /content-type-builder/reserved-names': { path: undefined; takes: unknown; answers: unknown };
  /** Send a mail */
  'POST /email/': { path: undefined; takes: unknown; answers: unknown };
  /** Show the email settings */
  'GET /email/settings': { path: undefined; takes: unknown; answers: MailConfigAnswer };
  /** Send a test email */
  'POST /email/test': { path: undefined; takes: MailRecipient; answers: unknown };
  /** Show the values that a new localization shares with the others */
  'POST /i18n/content-manager/actions/get-non-localized-fields': { path: undefined; takes: unknown; answers: unknown };
  /** List all available locales */
  'GET /i18n/iso-locales': { path: undefined; takes: unknown; answers: (LocaleOption)[] };
  /** List locales */
  'GET /i18n/locales': { path: undefined; takes: unknown; answers: (Locale)[] };
  /** Add a locale */
  'POST /i18n/locales': { path: undefined; takes: NewLocale; answers: unknown };
  /** Delete a locale */
  'DELETE /i18n/locales/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Update a locale */
  'PUT /i18n/locales/:id': { path: { id: string | number }; takes: ChangedLocale; answers: unknown };
  /** Show the version and system */
  'GET /octavo/about': { path: undefined; takes: unknown; answers: AboutAnswer };
  /** List audit records */
  'GET /octavo/audit': { path: undefined; takes: unknown; answers: AuditAnswer };
  /** Export audit records as JSON lines */
  'GET /octavo/audit/export': { path: undefined; takes: unknown; answers: unknown };
  /** Update entries with the same values */
  'POST /octavo/batch-edits/:uid': { path: { uid: string | number }; takes: BatchEdit; answers: InvalidEntries };
  /** Show the schedules of all content types */
  'GET /octavo/calendar': { path: undefined; takes: unknown; answers: CalendarAnswer };
  /** Report whether definitions can be changed */
  'GET /octavo/content-type-builder': { path: undefined; takes: unknown; answers: BuilderStateAnswer };
  /** Preview a change of definitions */
  'POST /octavo/content-type-builder/preview': { path: undefined; takes: PreviewForm; answers: PreviewAnswer };
  /** Show the API URLs of entries */
  'GET /octavo/entry-addresses/:uid': { path: { uid: string | number }; takes: unknown; answers: EntryAddressesAnswer };
  /** Update the alternative texts and captions of files */
  'PUT /octavo/file-texts': { path: undefined; takes: ChangedFileTexts; answers: ChangedFilesAnswer };
  /** Set an image's focal point */
  'PUT /octavo/files/:id/focal-point': { path: { id: string | number }; takes: FocalPointForm; answers: MediaFile };
  /** Show whether a file is private */
  'GET /octavo/files/:id/privacy': { path: { id: string | number }; takes: unknown; answers: PrivacyAnswer };
  /** Make a file private or public */
  'PUT /octavo/files/:id/privacy': { path: { id: string | number }; takes: PrivacyForm; answers: MediaFile };
  /** List the entries that use a file */
  'GET /octavo/files/:id/uses': { path: { id: string | number }; takes: unknown; answers: FileUsesAnswer };
  /** Make a folder private or public, with the files in it */
  'PUT /octavo/folders/:id/privacy': { path: { id: string | number }; takes: PrivacyForm; answers: PrivateFoldersAnswer };
  /** List drafts that cannot be published */
  'POST /octavo/incomplete-drafts/:uid': { path: { uid: string | number }; takes: EntryIds; answers: InvalidEntries };
  /** Show background jobs */
  'GET /octavo/jobs': { path: undefined; takes: unknown; answers: WorkAnswer };
  /** Retry failed jobs */
  'POST /octavo/jobs/given-up/:id/retry': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Run a scheduled task now */
  'POST /octavo/jobs/tasks/:name/run': { path: { name: string | number }; takes: unknown; answers: unknown };
  /** Show the log level and maintenance mode */
  'GET /octavo/live-settings': { path: undefined; takes: unknown; answers: LiveSettingsAnswer };
  /** Set the log level and maintenance mode of all processes */
  'PUT /octavo/live-settings': { path: undefined; takes: ChangedLiveSettings; answers: LiveSettingsAnswer };
  /** Show which localizations of entries exist */
  'GET /octavo/localizations/:uid': { path: { uid: string | number }; takes: unknown; answers: LocalizationsAnswer };
  /** Show whether the service is read-only */
  'GET /octavo/maintenance': { path: undefined; takes: unknown; answers: MaintenanceAnswer };
  /** Create a preview code */
  'POST /octavo/preview-codes/:uid/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: PreviewCodeAnswer };
  /** Exchange a preview code for a token */
  'POST /octavo/preview-tokens': { path: undefined; takes: PreviewCodeForm; answers: PreviewTokenAnswer };
  /** List the private folders */
  'GET /octavo/private-folders': { path: undefined; takes: unknown; answers: PrivateFoldersAnswer };
  /** Publish entries with their previous publication dates */
  'POST /octavo/publications/:uid': { path: { uid: string | number }; takes: RepublishInput; answers: Counted };
  /** Show recent changes and schedules */
  'GET /octavo/recent': { path: undefined; takes: unknown; answers: RecentAnswer };
  /** Show the schedules of entries */
  'GET /octavo/schedules/:uid': { path: { uid: string | number }; takes: unknown; answers: PlannedAnswer };
  /** Show an entry's schedule */
  'GET /octavo/schedules/:uid/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: PlansAnswer };
  /** Schedule an entry */
  'PUT /octavo/schedules/:uid/:id': { path: { uid: string | number; id: string | number }; takes: Plans; answers: PlansAnswer };
  /** List shared views of a content type */
  'GET /octavo/shared-views/:uid': { path: { uid: string | number }; takes: unknown; answers: SharedViewsAnswer };
  /** Share a view */
  'POST /octavo/shared-views/:uid': { path: { uid: string | number }; takes: SharedViewForm; answers: SharedViewsAnswer };
  /** Delete a shared view */
  'DELETE /octavo/shared-views/:uid/:id': { path: { uid: string | number; id: string | number }; takes: unknown; answers: SharedViewsAnswer };
  /** Update a shared view */
  'PUT /octavo/shared-views/:uid/:id': { path: { uid: string | number; id: string | number }; takes: SharedViewForm; answers: SharedViewsAnswer };
  /** Show the state of the service */
  'GET /octavo/system': { path: undefined; takes: unknown; answers: SystemAnswer };
  /** List the latest deliveries of a webhook */
  'GET /octavo/webhooks/:id/deliveries': { path: { id: string | number }; takes: unknown; answers: DeliveriesAnswer };
  /** Redeliver a webhook message */
  'POST /octavo/webhooks/:id/deliveries/:message/redeliver': { path: { id: string | number; message: string | number }; takes: unknown; answers: unknown };
  /** Upload files; with an ID, replace or update a file */
  'POST /upload': { path: undefined; takes: unknown; answers: unknown };
  /** Delete files and folders */
  'POST /upload/actions/bulk-delete': { path: undefined; takes: Removed; answers: unknown };
  /** Move files and folders */
  'POST /upload/actions/bulk-move': { path: undefined; takes: Moved; answers: unknown };
  /** Show the view settings of file lists */
  'GET /upload/configuration': { path: undefined; takes: unknown; answers: unknown };
  /** Update the view settings of file lists */
  'PUT /upload/configuration': { path: undefined; takes: unknown; answers: unknown };
  /** List files */
  'GET /upload/files': { path: undefined; takes: unknown; answers: MediaPage };
  /** Delete a file */
  'DELETE /upload/files/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show a file */
  'GET /upload/files/:id': { path: { id: string | number }; takes: unknown; answers: MediaFile };
  /** List all folders as a tree */
  'GET /upload/folder-structure': { path: undefined; takes: unknown; answers: FolderTreeAnswer };
  /** List folders */
  'GET /upload/folders': { path: undefined; takes: unknown; answers: FoldersAnswer };
  /** Create a folder */
  'POST /upload/folders': { path: undefined; takes: FolderForm; answers: FolderAnswer };
  /** Show a folder */
  'GET /upload/folders/:id': { path: { id: string | number }; takes: unknown; answers: FolderAnswer };
  /** Rename or move a folder */
  'PUT /upload/folders/:id': { path: { id: string | number }; takes: FolderForm; answers: FolderAnswer };
  /** Show image processing settings */
  'GET /upload/settings': { path: undefined; takes: unknown; answers: ImageSettingsAnswer };
  /** Update image processing settings */
  'PUT /upload/settings': { path: undefined; takes: ImageSettings; answers: unknown };
  /** Show the registration settings */
  'GET /users-permissions/advanced': { path: undefined; takes: unknown; answers: AdvancedAnswer };
  /** Update the registration settings */
  'PUT /users-permissions/advanced': { path: undefined; takes: AdvancedSettings; answers: unknown };
  /** Show the email templates */
  'GET /users-permissions/email-templates': { path: undefined; takes: unknown; answers: Record<string, MailTemplate> };
  /** Update the email templates */
  'PUT /users-permissions/email-templates': { path: undefined; takes: EmailTemplatesInput; answers: unknown };
  /** List the permissions for users */
  'GET /users-permissions/permissions': { path: undefined; takes: unknown; answers: SiteActionsAnswer };
  /** List policies (always empty) */
  'GET /users-permissions/policies': { path: undefined; takes: unknown; answers: unknown };
  /** Show the sign-in providers */
  'GET /users-permissions/providers': { path: undefined; takes: unknown; answers: Record<string, Provider> };
  /** Set providers */
  'PUT /users-permissions/providers': { path: undefined; takes: ProvidersInput; answers: unknown };
  /** List user roles */
  'GET /users-permissions/roles': { path: undefined; takes: unknown; answers: SiteRolesAnswer };
  /** Create a user role */
  'POST /users-permissions/roles': { path: undefined; takes: UserRoleInput; answers: unknown };
  /** Delete a user role */
  'DELETE /users-permissions/roles/:id': { path: { id: string | number }; takes: unknown; answers: unknown };
  /** Show a user role */
  'GET /users-permissions/roles/:id': { path: { id: string | number }; takes: unknown; answers: SiteRoleAnswer };
  /** Update a user role */
  'PUT /users-permissions/roles/:id': { path: { id: string | number }; takes: UserRoleInput; answers: unknown };
  /** List the content API's routes */
  'GET /users-permissions/routes': { path: undefined; takes: unknown; answers: SiteRoutesAnswer };
}
