/**
 * Live preview of Octavo: shows unsaved changes of an entry in the front end, and opens its fields on click.
 *
 * Include it in pages that editors see in the preview pane. Outside of the pane it does nothing. Messages are exchanged
 * with the admin pages only: `origin` is checked for each message in both directions.
 */

const PROTOCOL = 1;
const ATTRIBUTE = "data-octavo";
const STYLES = `
  [${ATTRIBUTE}*="field:"]:hover { outline: 2px solid #4945ff; outline-offset: 3px; cursor: pointer; }
  [data-octavo-focused] { outline: 2px dashed #4945ff; outline-offset: 3px; }
`;

/** Connect the page to the preview pane. Returns a function that disconnects it. */
export function connectPreview({ origin, onChange = updateText, onSave = reload, clickToEdit = true }) {
  const trusted = new URL(origin).origin;
  if (window.parent === window) return () => {};
  let before = null;

  const send = (message) => window.parent.postMessage({ octavo: PROTOCOL, ...message }, trusted);
  const receive = ({ origin: sender, source, data }) => {
    if (sender !== trusted || source !== window.parent || data?.octavo !== PROTOCOL) return;
    if (data.type === "hello") send({ type: "ready" });
    if (data.type === "saved") onSave();
    if (data.type === "focus") highlight(before, data.field);
    if (data.type === "entry") {
      onChange(data.entry, before ?? data.entry);
      before = data.entry;
    }
  };
  const click = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const place = placeOf(event.target);
    if (!place?.field) return;
    event.preventDefault();
    event.stopPropagation();
    send({ type: "edit", place });
  };

  const styles = new CSSStyleSheet(); // allowed by every content security policy
  styles.replaceSync(STYLES);
  window.addEventListener("message", receive);
  if (clickToEdit) {
    document.addEventListener("click", click, true);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles];
  }
  send({ type: "ready" });
  return () => {
    window.removeEventListener("message", receive);
    document.removeEventListener("click", click, true);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== styles);
  };
}

/** Return the attribute that marks an element as a field of an entry, to spread in JSX: `<h1 {...editable({...})}>`. */
export function editable({ type, id, field }) {
  const parts = Object.entries({ type, id, field }).filter(([, value]) => value !== undefined && value !== null);
  return { [ATTRIBUTE]: parts.map(([name, value]) => `${name}:${value}`).join(";") };
}

/**
 * Return an entry of the REST API with the unsaved values of a change. Other entries are returned as they are.
 * Only attributes that the entry has are replaced, so it keeps what its request selected.
 */
export function applyChange(entry, change) {
  if (!entry || !change || entry.id !== change.id) return entry;
  return { ...entry, attributes: merge(entry.attributes, change.fields) };
}

/** Update elements whose text is the value of a changed text or number field, without framework. */
export function updateText(change, before) {
  for (const element of document.querySelectorAll(`[${ATTRIBUTE}*="field:"]`)) {
    const place = placeOf(element);
    if (!isOf(place, change)) continue;
    const [old, now] = [valueAt(before.fields, place.field), valueAt(change.fields, place.field)];
    const isPlain = element.childElementCount === 0 && element.textContent.trim() === old.trim();
    if (old !== now && isPlain) element.textContent = now;
  }
}

function merge(attributes, fields) {
  const merged = { ...attributes };
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (name in merged) merged[name] = mergeValue(merged[name], value);
  }
  return merged;
}

function mergeValue(known, value) {
  if (Array.isArray(value)) {
    const byId = new Map(Array.isArray(known) ? known.map((item) => [keyOf(item), item]) : []);
    return value.map((item) => mergeValue(byId.get(keyOf(item)), item));
  }
  if (!isObject(value)) return value;
  if ("data" in value && "removed" in value) return { data: mergeLinked(known?.data, value) };
  return isObject(known) && keyOf(known) === keyOf(value) && keyOf(value) ? merge(known, value) : value;
}

/** Linked entries and files. Without `removed` the list is complete. Known ones keep the attributes that the request populated. */
function mergeLinked(known, { data, removed }) {
  const before = Array.isArray(known) ? known : known ? [known] : [];
  const byId = new Map(before.map((entry) => [entry.id, entry]));
  const merged = (entry) => byId.get(entry.id) ?? entry;
  if (!Array.isArray(data)) return data && merged(data);
  const gone = new Set([...(removed ?? before.map(({ id }) => id)), ...data.map(({ id }) => id)]);
  return [...before.filter(({ id }) => !gone.has(id)), ...data.map(merged)]; // the form may not have loaded all links
}

const isObject = (value) => typeof value === "object" && value !== null;
const keyOf = (item) => (isObject(item) && item.id ? `${item.__component ?? ""} ${item.id}` : "");

/** The entry and field that an element shows. Missing parts are those of the elements around it. */
function placeOf(target) {
  let place = null;
  for (let element = target?.closest?.(`[${ATTRIBUTE}]`); element; ) {
    place = { ...parse(element.getAttribute(ATTRIBUTE)), ...place };
    element = place.id ? null : element.parentElement?.closest(`[${ATTRIBUTE}]`);
  }
  return place && { ...place, ...(place.id ? { id: Number(place.id) } : {}) };
}

/** `type:api::article.article;id:12;field:title` */
function parse(text) {
  const pairs = text.split(";").map((part) => [part.slice(0, part.indexOf(":")).trim(), part.slice(part.indexOf(":") + 1).trim()]);
  return Object.fromEntries(pairs.filter(([name]) => ["type", "id", "field"].includes(name)));
}

const isOf = (place, entry) =>
  Boolean(place?.field) && (place.type ?? entry.type) === entry.type && (place.id ?? entry.id) === entry.id;

function valueAt(fields, path) {
  const value = path.split(".").reduce((found, part) => found?.[part], fields);
  return ["string", "number"].includes(typeof value) ? String(value) : "";
}

/** Outline the field that the editor is in, and scroll to it. */
function highlight(entry, field) {
  for (const old of document.querySelectorAll("[data-octavo-focused]")) old.removeAttribute("data-octavo-focused");
  if (!entry || !field) return;
  const shown = [...document.querySelectorAll(`[${ATTRIBUTE}*="field:"]`)].map((element) => ({ element, place: placeOf(element) }));
  const found = shown.find(({ place }) => isOf(place, entry) && (field === place.field || field.startsWith(`${place.field}.`)));
  found?.element.setAttribute("data-octavo-focused", "");
  found?.element.scrollIntoView({ block: "nearest" });
}

function reload() {
  window.location.reload();
}
