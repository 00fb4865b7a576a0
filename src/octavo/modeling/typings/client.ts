// What an answer holds follows from what is asked for: `Entry<"api::talk.talk", { speaker: true }>`.

export type Uid = keyof ContentTypes;
export type ComponentUid = keyof Components;
export type Id = number;
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type DateText = string;
export type TimeText = string;
export type Instant = string;
/** A whole number as a text: it may be larger than JavaScript counts. */
export type Digits = string;

export interface TextNode {
  type: "text";
  text: string;
  bold?: boolean;
  italic?: boolean;
  underline?: boolean;
  strikethrough?: boolean;
  code?: boolean;
}
export interface LinkNode {
  type: "link";
  url: string;
  children: TextNode[];
}
export type InlineNode = TextNode | LinkNode;
export interface ListItemNode {
  type: "list-item";
  children: InlineNode[];
}
export interface ListNode {
  type: "list";
  format: "ordered" | "unordered";
  children: (ListItemNode | ListNode)[];
}
export type Block =
  | { type: "paragraph" | "quote"; children: InlineNode[] }
  | { type: "code"; language?: string; children: InlineNode[] }
  | { type: "heading"; level: 1 | 2 | 3 | 4 | 5 | 6; children: InlineNode[] }
  | { type: "image"; image: { [key: string]: Json }; children: TextNode[] }
  | ListNode;
export type Blocks = Block[];

// What an attribute leads to.

/** A relation to one, a file. */
export interface One<U extends Uid> {
  one: U;
}
/** A relation to many. */
export interface Many<U extends Uid> {
  many: U;
}
/** Files, entries that lead here by a polymorphic relation: null where there are none. */
export interface Some<U extends Uid> {
  some: U;
}
export interface Part<C extends ComponentUid> {
  part: C;
}
export interface Parts<C extends ComponentUid> {
  parts: C;
}
export interface Zone<C extends ComponentUid> {
  zone: C;
}
/** A polymorphic relation to one entry of any type. */
export interface AnyOne {
  any: "one";
}
export interface AnyMany {
  any: "many";
}

interface Definition {
  values: object;
  populated: object;
}
type Names<D extends Definition> = keyof D["populated"] & string;
type Merged<C extends ComponentUid> = {
  values: {};
  populated: { [K in AnyName<C>]: C extends ComponentUid ? PopulatedAt<C, K> : never };
};
type AnyName<C extends ComponentUid> = C extends ComponentUid ? Names<Components[C]> : never;
type PopulatedAt<C extends ComponentUid, K> = K extends keyof Components[C]["populated"] ? Components[C]["populated"][K] : never;
type Target<A> = A extends One<infer U> | Many<infer U> | Some<infer U>
  ? ContentTypes[U]
  : A extends Part<infer C> | Parts<infer C>
    ? Components[C]
    : A extends Zone<infer C>
      ? Merged<C>
      : { values: {}; populated: {} };

// Answers.

type Flat<T> = { [K in keyof T]: T[K] };
type PopulateIn<Q> = Q extends { populate: infer P } ? P : never;
type FieldsIn<Q> = Q extends { fields: infer F } ? F : "*";
type NamesIn<F> = F extends readonly (infer Name)[] ? Name : F;

/** What a populate asks for at the attribute K; never if it does not name it. */
type Asked<P, K extends string> = P extends "*"
  ? true
  : P extends string
    ? P extends K
      ? true
      : P extends `${K}.${infer Rest}`
        ? { populate: Rest }
        : never
    : P extends readonly (infer Item)[]
      ? Asked<Item, K>
      : P extends { [Key in K]: infer Value }
        ? Value extends false
          ? never
          : Value
        : never;

type Values<D extends Definition, F> = "*" extends NamesIn<F> ? D["values"] : Pick<D["values"], NamesIn<F> & keyof D["values"]>;

/** What stands in `attributes`, or in a component beside its `id`. */
export type Attributes<D extends Definition, P = {}, F = "*"> = Flat<
  Values<D, F> & {
    [K in Names<D> as [Asked<P, K>] extends [never] ? never : K]: Filled<D["populated"][K & keyof D["populated"]], Asked<P, K>>;
  }
>;

/** An entry of a content-type, with what `populate` P and `fields` F ask for. */
export type Entry<U extends Uid, P = {}, F = "*"> = { id: Id; attributes: Attributes<ContentTypes[U], P, F> };

/** A component, as it stands in an answer. */
export type ComponentOf<C extends ComponentUid, P = {}, F = "*"> = Flat<{ id: Id } & Attributes<Components[C], P, F>>;

/** What a dynamic zone holds: told apart by `__component`. */
export type ZoneItem<C extends ComponentUid, Q = true> = C extends ComponentUid
  ? Q extends { on: infer On }
    ? C extends keyof On
      ? ZonePart<C, PopulateIn<On[C]>, FieldsIn<On[C]>>
      : never
    : ZonePart<C, PopulateIn<Q>, "*">
  : never;
type ZonePart<C extends ComponentUid, P, F> = Flat<{ id: Id; __component: C } & Attributes<Components[C], P, F>>;

/** An entry at the end of a polymorphic relation. */
export type AnyEntry = { id: Id; __type?: string } & { [name: string]: Json | undefined };

type Count = { data: { attributes: { count: number } } };
type Filled<A, Q> = A extends One<infer U>
  ? { data: Entry<U, PopulateIn<Q>, FieldsIn<Q>> | null }
  : A extends Many<infer U>
    ? Q extends { count: true }
      ? Count
      : { data: Entry<U, PopulateIn<Q>, FieldsIn<Q>>[] }
    : A extends Some<infer U>
      ? { data: Entry<U, PopulateIn<Q>, FieldsIn<Q>>[] | null }
      : A extends Part<infer C>
        ? ComponentOf<C, PopulateIn<Q>, FieldsIn<Q>> | null
        : A extends Parts<infer C>
          ? ComponentOf<C, PopulateIn<Q>, FieldsIn<Q>>[]
          : A extends Zone<infer C>
            ? ZoneItem<C, Q>[]
            : A extends AnyOne
              ? AnyEntry | { data: AnyEntry | null } | null
              : AnyEntry[] | { data: AnyEntry[] } | undefined;

/** The same of drafts: they may lack what is required. */
export type Draft<T> = T extends { id: Id; attributes: infer A }
  ? Omit<T, "attributes"> & { attributes: { [K in keyof A]: Draft<A[K]> | null } }
  : T extends { data: infer D }
    ? { data: D extends readonly (infer Item)[] ? Draft<Item>[] : Draft<D> }
    : T extends readonly { id: Id }[]
      ? Draft<T[number]>[]
      : T extends { id: Id }
        ? { [K in keyof T]: K extends "id" | "__component" ? T[K] : Draft<T[K]> | null }
        : T;

// Parameters.

/** The names of `fields`. */
export type Fields<D extends Definition> = FieldName<D> | readonly FieldName<D>[];
type FieldName<D extends Definition> = "*" | "id" | (keyof D["values"] & string);

/** The forms of `populate`: `*`, names, dotted paths, lists of such, objects. */
export type Populate<D extends Definition> =
  | PopulatePath<D>
  | readonly PopulatePath<D>[]
  | { readonly [K in Names<D>]?: boolean | PopulateBelow<D["populated"][K & keyof D["populated"]]> };
type PopulatePath<D extends Definition> = "*" | Names<D> | `${Names<D>}.${string}`;
type PopulateBelow<A> = A extends Zone<infer C>
  ? { populate?: Populate<Merged<C>>; on?: { readonly [K in C]?: true | PopulateBelow<Part<K>> } }
  : A extends AnyOne | AnyMany
    ? { populate?: "*"; on?: { readonly [K in Uid]?: true | PopulateBelow<One<K>> } }
    : {
        fields?: Fields<Target<A>>;
        filters?: Filters<Target<A>>;
        sort?: Sort<Target<A>>;
        populate?: Populate<Target<A>>;
        start?: number;
        limit?: number;
        count?: boolean;
        publicationState?: PublicationState;
      };

/** Checks what was written. Of the constraint itself nothing is asked: it leads on through all types without end. */
type Sound<P, D extends Definition> = Populate<D> extends P ? unknown : Checked<P, D>;

/** The same populate, with `never` where it names what does not exist: types that are inferred may hold more keys. */
export type Checked<P, D extends Definition> = P extends string
  ? CheckedPath<P, D>
  : P extends readonly unknown[]
    ? { [I in keyof P]: CheckedPath<P[I], D> }
    : { [K in keyof P]: K extends Names<D> ? CheckedBelow<P[K], D["populated"][K & keyof D["populated"]]> : never };
type CheckedPath<S, D extends Definition> = S extends "*" | Names<D>
  ? S
  : S extends `${infer K}.${infer Rest}`
    ? K extends Names<D>
      ? CheckedPath<Rest, Target<D["populated"][K & keyof D["populated"]]>> extends never
        ? never
        : S
      : never
    : never;
type CheckedBelow<Q, A> = Q extends object
  ? {
      [K in keyof Q]: K extends "populate"
        ? Checked<Q[K], Target<A>>
        : K extends "on"
          ? { [C in keyof Q[K]]: C extends ComponentUid ? CheckedBelow<Q[K][C], Part<C>> : Q[K][C] }
          : K extends keyof PopulateBelow<A>
            ? Q[K]
            : never;
    }
  : Q;

type Direction = "asc" | "desc";
type SortPath<D extends Definition> = "id" | (keyof D["values"] & string) | `${Names<D>}.${string}`;
type SortText<D extends Definition> = SortPath<D> | `${SortPath<D>}:${Direction}`;
/** The order: `"title:desc"`, `"author.name"`, lists of such, or `{ title: "desc" }`. */
export type Sort<D extends Definition> =
  | SortText<D>
  | readonly SortText<D>[]
  | { readonly [K in keyof D["values"] | "id"]?: Direction };

/** Conditions on a value. A value alone means `$eq`, a list `$in`. */
export type Condition<T> = T | readonly T[] | Operators<T>;
export interface Operators<T> {
  $eq?: T;
  $eqi?: T;
  $ne?: T;
  $nei?: T;
  $lt?: T;
  $lte?: T;
  $gt?: T;
  $gte?: T;
  $in?: readonly T[];
  $notIn?: readonly T[];
  $between?: readonly [T, T];
  $contains?: string;
  $notContains?: string;
  $containsi?: string;
  $notContainsi?: string;
  $startsWith?: string;
  $startsWithi?: string;
  $endsWith?: string;
  $endsWithi?: string;
  $null?: boolean;
  $notNull?: boolean;
  $and?: readonly Operators<T>[];
  $or?: readonly Operators<T>[];
  $not?: Operators<T>;
}

/** Conditions on an entry. Those on a relation, a component or a file reach into it. */
export type Filters<D extends Definition> = {
  readonly [K in keyof D["values"]]?: Condition<Comparable<D["values"][K]>>;
} & {
  readonly [K in keyof D["populated"]]?: Condition<Id> | Filters<Target<D["populated"][K]>>;
} & {
  readonly id?: Condition<Id>;
  readonly $and?: readonly Filters<D>[];
  readonly $or?: readonly Filters<D>[];
  readonly $not?: Filters<D>;
};
type Comparable<V> = NonNullable<V> extends string | number | boolean ? NonNullable<V> : string | number | boolean;

export type PublicationState = "live" | "preview";
export type Pagination =
  | { page?: number; pageSize?: number; withCount?: boolean; start?: never; limit?: never }
  | { start?: number; limit?: number; withCount?: boolean; page?: never; pageSize?: never };

/** What a read by id, and the answer of a write, can be asked for. */
export interface EntryParams<U extends Uid, P, F> {
  fields?: F;
  populate?: P & Sound<P, ContentTypes[U]>;
}
/** What the read of a single type can be asked for. */
export interface SingleParams<U extends Uid, P, F, S> extends EntryParams<U, P, F> {
  locale?: string;
  publicationState?: S;
}
/** What a list can be asked for. */
export interface ListParams<U extends Uid, P, F, S, G> extends EntryParams<U, P, F> {
  filters?: Filters<ContentTypes[U]>;
  sort?: Sort<ContentTypes[U]>;
  pagination?: G;
  locale?: string | readonly string[];
  publicationState?: S;
  /** Looks into all visible texts. */
  _q?: string;
}

export type PageInfo<G> = (G extends { start: number } | { limit: number }
  ? { start: number; limit: number }
  : { page: number; pageSize: number }) &
  (G extends { withCount: false } ? {} : G extends { start: number } | { limit: number } ? { total: number } : { pageCount: number; total: number });
export type Meta = { availableLocales?: string[] };
type Stated<T, S> = "preview" extends S ? Draft<T> : T;
export type EntryAnswer<U extends Uid, P = {}, F = "*", S = "live"> = {
  data: Stated<Entry<U, P, F>, S> & { meta: Meta };
  meta: {};
};
export type ListAnswer<U extends Uid, P = {}, F = "*", S = "live", G = {}> = {
  data: (Stated<Entry<U, P, F>, S> & { meta: Meta })[];
  meta: { pagination: PageInfo<G> };
};

// Bodies.

type Reference = Id | `${number}` | { id: Id };
type Position = { before: Id } | { after: Id } | { start: true } | { end: true };
type Links = {
  connect?: readonly (Id | { id: Id; position?: Position })[];
  disconnect?: readonly (Id | { id: Id })[];
  set?: readonly (Id | { id: Id })[];
};
export type OneInput = Reference | Links | null;
export type ManyInput = readonly Reference[] | Links | null;
export type FileInput = Reference | null;
export type FilesInput = readonly Reference[] | null;
export type AnyOneInput = { __type: string; id: Id } | null;
export type AnyManyInput = readonly { __type: string; id: Id }[] | null;
/** With its `id` a component is changed, without it is replaced. */
export type PartInput<C extends ComponentUid> = { id?: Id } & Components[C]["input"];
export type ZoneInput<C extends ComponentUid> = readonly ZoneInputItem<C>[];
type ZoneInputItem<C extends ComponentUid> = C extends ComponentUid ? { __component: C } & PartInput<C> : never;

/** The data of a new entry. A draft (`publishedAt: null`) may lack what is required. */
export type Create<U extends Uid> = ContentTypes[U]["input"] | (Partial<ContentTypes[U]["input"]> & { publishedAt: null });
/** The data of a change: what is absent stays, null clears. */
export type Update<U extends Uid> = Partial<ContentTypes[U]["input"]>;

// The client.

export interface Problem {
  path: string[];
  message: string;
  name: string;
}

/** What the service answers when it refuses: `name` is `ValidationError`, `NotFoundError`, `ForbiddenError` ... */
export class ApiError extends Error {
  readonly status: number;
  readonly details: { errors?: Problem[] } & { [key: string]: unknown };

  constructor(status: number, name: string, message: string, details: ApiError["details"] = {}) {
    super(message);
    this.status = status;
    this.name = name;
    this.details = details;
  }
}

export interface ClientOptions {
  /** The address of the service, without `/api`: `https://content.example.org`. */
  url: string;
  /** A user's JWT or an API token, or a function that answers one for each request. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  prefix?: string;
  headers?: Record<string, string>;
  fetch?: typeof fetch;
}

/** A query string in nested brackets, as v4 reads it. Throws a TypeError for an empty list, which cannot be said. */
export function queryString(params: object): string {
  const pairs: string[] = [];
  const add = (key: string, value: unknown): void => {
    if (value === undefined) return;
    if (Array.isArray(value) && value.length === 0) throw new TypeError(`an empty list at ${key} cannot be said in a query string`);
    if (value instanceof Date) pairs.push(`${encodeURIComponent(key)}=${encodeURIComponent(value.toISOString())}`);
    else if (typeof value === "object" && value !== null)
      for (const [name, item] of Object.entries(value)) add(key ? `${key}[${name}]` : name, item);
    else pairs.push(`${encodeURIComponent(key)}=${encodeURIComponent(value === null ? "" : String(value))}`);
  };
  add("", params);
  return pairs.join("&");
}

export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** A list of entries. */
  find<U extends CollectionUid, const P extends Populate<ContentTypes[U]> = {}, const F extends Fields<ContentTypes[U]> = "*", S extends PublicationState = "live", const G extends Pagination = {}>(
    uid: U,
    params: ListParams<U, P, F, S, G> = {},
  ): Promise<ListAnswer<U, P, F, S, G>> {
    return this.request("GET", PATHS[uid], { query: params });
  }

  /** The entry with an id. Throws ApiError 404 where there is none. */
  findOne<U extends CollectionUid, const P extends Populate<ContentTypes[U]> = {}, const F extends Fields<ContentTypes[U]> = "*">(
    uid: U,
    id: Id,
    params: EntryParams<U, P, F> = {},
  ): Promise<EntryAnswer<U, P, F>> {
    return this.request("GET", `${PATHS[uid]}/${id}`, { query: params });
  }

  create<U extends CollectionUid, const P extends Populate<ContentTypes[U]> = {}, const F extends Fields<ContentTypes[U]> = "*">(
    uid: U,
    data: Create<U>,
    params: EntryParams<U, P, F> = {},
  ): Promise<EntryAnswer<U, P, F>> {
    return this.request("POST", PATHS[uid], { query: params, body: { data } });
  }

  update<U extends CollectionUid, const P extends Populate<ContentTypes[U]> = {}, const F extends Fields<ContentTypes[U]> = "*">(
    uid: U,
    id: Id,
    data: Update<U>,
    params: EntryParams<U, P, F> = {},
  ): Promise<EntryAnswer<U, P, F>> {
    return this.request("PUT", `${PATHS[uid]}/${id}`, { query: params, body: { data } });
  }

  /** Removes an entry, which is answered as it was. */
  delete<U extends CollectionUid>(uid: U, id: Id): Promise<EntryAnswer<U>> {
    return this.request("DELETE", `${PATHS[uid]}/${id}`);
  }

  /** The entry of a single type. Throws ApiError 404 where it has none yet. */
  findSingle<U extends SingleUid, const P extends Populate<ContentTypes[U]> = {}, const F extends Fields<ContentTypes[U]> = "*", S extends PublicationState = "live">(
    uid: U,
    params: SingleParams<U, P, F, S> = {},
  ): Promise<EntryAnswer<U, P, F, S>> {
    return this.request("GET", PATHS[uid], { query: params });
  }

  /** Changes the entry of a single type, or makes it. */
  saveSingle<U extends SingleUid, const P extends Populate<ContentTypes[U]> = {}, const F extends Fields<ContentTypes[U]> = "*">(
    uid: U,
    data: Update<U>,
    params: SingleParams<U, P, F, "live"> = {},
  ): Promise<EntryAnswer<U, P, F>> {
    return this.request("PUT", PATHS[uid], { query: params, body: { data } });
  }

  deleteSingle<U extends SingleUid>(uid: U): Promise<EntryAnswer<U>> {
    return this.request("DELETE", PATHS[uid]);
  }

  /** Any other address below the prefix. A FormData is sent as it is, another body as JSON. Throws ApiError. */
  async request<T = unknown>(method: string, path: string, options: { query?: object; body?: unknown } = {}): Promise<T> {
    const { url, token, prefix = "/api", headers = {} } = this.#options;
    const query = queryString(options.query ?? {});
    const given = typeof token === "function" ? await token() : token;
    const isForm = options.body instanceof FormData;
    const hasJson = options.body !== undefined && !isForm;
    const ask = this.#options.fetch ?? fetch;
    const answer = await ask(`${url.replace(/\/+$/, "")}${prefix}/${path.replace(/^\/+/, "")}${query && `?${query}`}`, {
      method,
      headers: {
        ...(given ? { Authorization: `Bearer ${given}` } : {}),
        ...(hasJson ? { "Content-Type": "application/json" } : {}),
        ...headers,
      },
      ...(options.body === undefined ? {} : { body: isForm ? (options.body as FormData) : JSON.stringify(options.body) }),
    });
    const text = await answer.text();
    const value = parsed(text);
    if (!answer.ok) throw refusal(answer.status, answer.statusText, value);
    return value as T;
  }
}

function parsed(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

function refusal(status: number, statusText: string, value: unknown): ApiError {
  const error = typeof value === "object" && value !== null && "error" in value ? value.error : undefined;
  const told = (typeof error === "object" && error !== null ? error : {}) as { name?: string; message?: string; details?: ApiError["details"] };
  return new ApiError(status, told.name ?? "HttpError", told.message ?? (statusText || `HTTP ${status}`), told.details ?? {});
}
