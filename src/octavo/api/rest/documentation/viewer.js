// Shows an OpenAPI document: operations by tag, what they take and answer, and a form to try them. No dependencies.
// Nothing of the document becomes markup: all of it is put in as text.
"use strict";

const METHODS = ["get", "post", "put", "patch", "delete"];
const state = { doc: null, token: "", open: null };

function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

// The document

async function load() {
  const headers = state.token ? { Authorization: `Bearer ${state.token}` } : {};
  const answer = await fetch(document.body.dataset.document, { headers });
  if (answer.status === 401 || answer.status === 403) return askForToken();
  if (!answer.ok) return say(`The document cannot be loaded (${answer.status}).`);
  state.doc = await answer.json();
  document.title = state.doc.info.title;
  draw();
}

function askForToken() {
  const field = el("input", { type: "password", "aria-label": "API token", placeholder: "API token", autocomplete: "off" });
  const submit = (event) => { event.preventDefault(); state.token = field.value.trim(); load(); };
  document.body.replaceChildren(el("form", { class: "door", onsubmit: submit },
    el("p", {}, state.token ? "This token may not see the documentation." : "This documentation needs an API token with full access."),
    field, el("button", {}, "Show")));
  field.focus();
}

function say(text) {
  document.body.replaceChildren(el("p", { class: "door" }, text));
}

function operations() {
  const found = [];
  for (const [path, item] of Object.entries(state.doc.paths)) {
    for (const method of METHODS) if (item[method]) found.push({ path, method, ...item[method] });
  }
  return found;
}

function resolve(node) {
  if (!node || !node.$ref) return node;
  return node.$ref.slice(2).split("/").reduce((at, key) => at && at[key.replace(/~1/g, "/").replace(/~0/g, "~")], state.doc);
}

const nameOf = (node) => (node.$ref ? node.$ref.split("/").pop() : "");

// The page

function draw() {
  const list = el("nav", { "aria-label": "Operations" });
  const search = el("input", { type: "search", placeholder: "Find an operation", "aria-label": "Find an operation", oninput: () => drawList(list, search.value) });
  const token = el("input", { type: "password", placeholder: "Token", "aria-label": "Token", autocomplete: "off", value: state.token, oninput: () => { state.token = token.value.trim(); } });
  const main = el("main", { tabindex: "-1" });
  const info = state.doc.info;
  const file = URL.createObjectURL(new Blob([JSON.stringify(state.doc, null, 2)], { type: "application/json" }));
  document.body.replaceChildren(
    el("aside", {},
      el("h1", {}, info.title, " ", el("small", {}, info.version)),
      el("a", { href: file, download: "openapi.json" }, "openapi.json"),
      search, token, list),
    main);
  drawList(list, "");
  const show = () => { drawOperation(main); mark(list); };
  window.onhashchange = () => { show(); main.scrollTo(0, 0); window.scrollTo(0, 0); };
  show();
}

function drawList(list, wanted) {
  const needle = wanted.toLowerCase();
  const matching = operations().filter((item) => `${item.method} ${item.path} ${item.summary}`.toLowerCase().includes(needle));
  const groups = new Map();
  for (const item of matching) {
    const tag = (item.tags || ["Other"])[0];
    groups.set(tag, [...(groups.get(tag) || []), item]);
  }
  list.replaceChildren(...[...groups].map(([tag, items]) => el("section", {}, el("h2", {}, tag), ...items.map(link))));
  mark(list);
}

function link(item) {
  return el("a", { href: `#${item.operationId}`, title: item.summary }, badge(item.method), el("span", {}, item.path));
}

const badge = (method) => el("b", { class: `method ${method}` }, method.toUpperCase());

function mark(list) {
  for (const node of list.querySelectorAll("a")) node.toggleAttribute("aria-current", node.hash === location.hash);
}

function drawOperation(main) {
  const all = operations();
  const item = all.find((one) => `#${one.operationId}` === location.hash) || all[0];
  if (!item) return main.replaceChildren(el("p", {}, "There are no operations."));
  const open = (item.security || []).length === 0 || item.security.some((one) => Object.keys(one).length === 0);
  const parts = [
    el("h2", {}, item.summary || item.operationId),
    el("p", { class: "address" }, badge(item.method), el("code", {}, item.path)),
    el("p", { class: "facts" },
      el("span", { class: open ? "open" : "closed" }, open ? "needs no token" : "needs a token"),
      item["x-action"] ? el("code", {}, item["x-action"]) : null),
    item.description ? el("p", {}, item.description) : null,
    ...parametersOf(item), ...bodyOf(item), ...responsesOf(item), tryIt(item)];
  main.replaceChildren(...parts.filter(Boolean));
}

function parametersOf(item) {
  if (!(item.parameters || []).length) return [];
  return [el("h3", {}, "Parameters"), ...item.parameters.map(resolve).map((one) => el("div", { class: "row" },
    el("p", {}, el("code", {}, one.name), " ", el("i", {}, one.in + (one.required ? ", required" : ""))),
    one.description ? el("p", {}, one.description) : null,
    schemaNode(one.schema)))];
}

function bodyOf(item) {
  const body = resolve(item.requestBody);
  return body ? [el("h3", {}, "Body"), ...contents(body.content)] : [];
}

function contents(content) {
  return Object.entries(content || {}).map(([type, media]) => el("div", { class: "row" }, el("p", {}, el("i", {}, type)), schemaNode(media.schema)));
}

function responsesOf(item) {
  const rows = Object.entries(item.responses).map(([status, given]) => {
    const answer = resolve(given);
    return el("details", { open: status < "300" }, el("summary", {}, el("b", { class: `status s${status[0]}` }, status), " ", answer.description), ...contents(answer.content));
  });
  return [el("h3", {}, "Answers"), ...rows];
}

// Schemas: what is below is made when it is opened, as schemas may hold themselves

function words(schema) {
  if (schema === true || schema === undefined) return "anything";
  if (schema === false) return "nothing";
  if (schema.$ref) return nameOf(schema);
  if ("const" in schema) return JSON.stringify(schema.const);
  const choices = schema.oneOf || schema.anyOf;
  if (choices) return choices.map(words).join(" | ");
  if (schema.allOf) return schema.allOf.map(words).join(" & ");
  if (schema.items) return `${words(schema.items)}[]`;
  const type = [].concat(schema.type || "anything").join(" | ");
  return schema.format ? `${type} (${schema.format})` : type;
}

function limits(schema) {
  const keys = ["pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "default"];
  const found = keys.filter((key) => key in schema).map((key) => `${key}: ${JSON.stringify(schema[key])}`);
  if (schema.items && !schema.items.$ref) found.push(limits(schema.items));
  if (schema.enum) found.unshift(`one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`);
  return found.filter(Boolean).join("; ");
}

function below(schema) {
  if (!schema || typeof schema !== "object") return [];
  if (schema.$ref) return below(resolve(schema));
  const found = Object.entries(schema.properties || {}).map(([name, one]) => [name, one, (schema.required || []).includes(name)]);
  const parts = [...(schema.oneOf || []), ...(schema.anyOf || [])].filter((one) => below(one).length);
  for (const one of parts) found.push([words(one), one, false]);
  for (const one of schema.allOf || []) found.push(...below(one));
  if (schema.items) found.push(...below(schema.items));
  if (schema.additionalProperties && typeof schema.additionalProperties === "object") found.push(["any name", schema.additionalProperties, false]);
  return found;
}

function schemaNode(schema, name = null, required = false) {
  const told = schema && typeof schema === "object" ? limits(schema) : "";
  const head = [name === null ? null : el("code", {}, name), name === null ? null : " ", el("i", {}, words(schema)), required ? el("em", {}, " required") : null, told ? el("small", {}, ` ${told}`) : null];
  if (!below(schema).length) return el("div", { class: "leaf" }, ...head);
  const node = el("details", { class: "schema", ontoggle: () => {
    if (!node.open || node.dataset.made) return;
    node.dataset.made = "yes";
    node.append(...below(schema).map(([key, one, needed]) => schemaNode(one, key, needed)));
  } }, el("summary", {}, ...head));
  return node;
}

// Trying

function example(given, depth = 0) {
  const schema = resolve(given);
  if (!schema || typeof schema !== "object" || depth > 6) return null;
  if ("default" in schema) return schema.default;
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((one) => example(one, depth + 1)));
  const choices = schema.oneOf || schema.anyOf;
  if (choices) return example(choices[0], depth + 1);
  const type = [].concat(schema.type)[0];
  if (schema.properties) {
    const wanted = Object.entries(schema.properties).filter(([key, one]) => (schema.required || []).includes(key) || (depth < 3 && !deep(one)));
    return Object.fromEntries(wanted.map(([key, one]) => [key, example(one, depth + 1)]));
  }
  const samples = { string: { date: "2024-01-31", "date-time": "2024-01-31T12:00:00.000Z", email: "ann@example.org" }[schema.format] || "text", integer: 1, number: 1.5, boolean: true, array: [], object: {} };
  return type in samples ? samples[type] : null;
}

const deep = (given) => { const schema = resolve(given); return Boolean(schema && (schema.anyOf || schema.oneOf || schema.allOf || schema.items || schema.properties)); };

function tryIt(item) {
  const inputs = (item.parameters || []).map(resolve).filter((one) => one.in === "path").map((one) => ({ one, field: el("input", { "aria-label": one.name, placeholder: one.name, required: true }) }));
  const query = el("input", { "aria-label": "Query", placeholder: "populate=*&filters[title][$contains]=word" });
  const json = ((resolve(item.requestBody) || {}).content || {})["application/json"];
  const body = json ? el("textarea", { rows: "10", "aria-label": "Body", spellcheck: "false" }) : null;
  if (body) body.value = JSON.stringify(example(json.schema), null, 2);
  const result = el("div", { class: "result", "aria-live": "polite" });
  const send = (event) => { event.preventDefault(); ask(item, inputs, query.value, body, result); };
  return el("form", { class: "try", onsubmit: send }, el("h3", {}, "Try it"), ...inputs.map(({ field }) => field), query, body, el("button", {}, "Send"), result);
}

async function ask(item, inputs, query, body, result) {
  const base = ((state.doc.servers || [])[0] || { url: "/" }).url;
  let path = item.path;
  for (const { one, field } of inputs) path = path.replace(`{${one.name}}`, encodeURIComponent(field.value));
  const parts = query.replace(/^\?/, "").split("&").filter(Boolean).map((part) => part.split("=").map((text) => encodeURIComponent(decode(text))).join("="));
  const headers = state.token ? { Authorization: `Bearer ${state.token}` } : {};
  if (body) headers["Content-Type"] = "application/json";
  const address = new URL(base.replace(/\/$/, "") + path, location.origin);
  address.search = parts.join("&");
  const begun = performance.now();
  try {
    const answer = await fetch(address, { method: item.method.toUpperCase(), headers, body: body ? body.value : undefined, redirect: "manual" });
    const text = await answer.text();
    const told = `${answer.status || "redirected"} in ${Math.round(performance.now() - begun)} ms`;
    result.replaceChildren(el("p", {}, el("code", {}, decodeURI(address.pathname + address.search)), " ", told), el("pre", {}, pretty(text)));
  } catch (error) {
    result.replaceChildren(el("p", {}, `Not sent: ${error.message}. Requests go to this service alone.`));
  }
}

function decode(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

load();
