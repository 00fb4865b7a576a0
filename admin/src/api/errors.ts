import { stepsOf } from '../messages/names';
import { inOurWords } from '../messages/said';

/** A problem. `path` is its location in the body. */
export interface Problem {
  path: (string | number)[];
  message: string;
  name: string;
  /** The original text of the service; `message` is translated. */
  said: string;
}

/** An error of the service, or an unreachable service (`status` 0). */
export class ApiError extends Error {
  override readonly name: string;

  constructor(
    readonly status: number,
    message: string,
    name = 'Error',
    readonly problems: readonly Problem[] = [],
    readonly details: Readonly<Record<string, unknown>> = {},
    /** The original text of the service, for comparisons; `message` is translated. */
    readonly said = message,
  ) {
    super(inOurWords(message));
    this.name = name;
  }

  get isOffline(): boolean {
    return this.status === 0;
  }
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Return the error of a response. The builder returns `{error: "code"}`, other endpoints return an object. */
export function readError(status: number, body: unknown): ApiError {
  const error = isObject(body) ? body.error : undefined;
  if (typeof error === 'string') return new ApiError(status, error, error);
  if (!isObject(error)) return new ApiError(status, `${status}`);
  const details = isObject(error.details) ? error.details : {};
  return new ApiError(status, String(error.message ?? status), String(error.name ?? 'Error'), readProblems(details.errors), details);
}

/** Return the problems of a response. */
export function readProblems(errors: unknown): Problem[] {
  const told = Array.isArray(errors) ? errors.filter(isObject) : [];
  return told.map((one) => ({
    path: pathOf(one.path),
    message: inOurWords(String(one.message ?? '')),
    name: String(one.name ?? ''),
    said: String(one.message ?? ''),
  }));
}

function pathOf(path: unknown): (string | number)[] {
  if (Array.isArray(path)) return path as (string | number)[];
  if (typeof path !== 'string') return [];
  return stepsOf(path);
}
