/** Types of octavo-preview.js. */

/** Values of an entry as the REST API returns them below `attributes`. */
export type PreviewFields = Record<string, unknown>;

/** The entry in the editor's form, with unsaved values. Private attributes, passwords and unchanged relations are left out. */
export interface PreviewEntry {
  /** The UID of the content type: `api::article.article`. */
  type: string;
  id: number;
  /** Null for content types without locales. */
  locale: string | null;
  fields: PreviewFields;
}

export interface PreviewOptions {
  /** The origin of the admin pages: `https://cms.example.org`. Messages of other origins are ignored. */
  origin: string;
  /** Called once when the page is connected, and after each change in the form. The default is `updateText`. */
  onChange?: (entry: PreviewEntry, before: PreviewEntry) => void;
  /** Called after the entry was saved. The default reloads the page. */
  onSave?: () => void;
  /** Whether a click on an element with `data-octavo` opens its field in the form. The default is true. */
  clickToEdit?: boolean;
}

/** A field of an entry. Without `type` and `id` it belongs to the entry of the elements around, or to the previewed one. */
export interface EditablePlace {
  type?: string | undefined;
  id?: number | undefined;
  /** The path in the form: `title`, `seo.metaTitle`, `blocks.0.text`. */
  field?: string | undefined;
}

/** Connect the page to the preview pane. Returns a function that disconnects it. Does nothing outside of the pane. */
export function connectPreview(options: PreviewOptions): () => void;

/** Return the attribute that marks an element as a field of an entry: `<h1 {...editable({ field: "title" })}>`. */
export function editable(place: EditablePlace): { "data-octavo": string };

/** Return an entry of the REST API with the unsaved values of a change. Other entries are returned as they are. */
export function applyChange<Entry extends { id: number; attributes: object } | null | undefined>(
  entry: Entry,
  change: PreviewEntry | null | undefined,
): Entry;

/** Update elements with `data-octavo` whose text is the value of a changed text or number field. */
export function updateText(entry: PreviewEntry, before: PreviewEntry): void;
