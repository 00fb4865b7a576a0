/** The signed-in administrator and their permissions. */
import { call, keepToken, onSessionEnd, renew } from '../api/client';
import type { Administrator, Right } from '../api/operations';
import { warmUp } from '../content/model/definitions';
import { leaveEntrance } from './addresses';
import { forgetCopied } from './copied';
import { queries } from './queries';

interface Session {
  /** `starting` until it is known; `ended` while a dialog asks for the password. */
  state: 'starting' | 'out' | 'in' | 'ended';
  hasAdmin: boolean;
  user: Administrator | null;
  rights: readonly Right[];
  /** URLs of the project's logos, if it has any. */
  logos: { menuLogo: string | null; authLogo: string | null };
}

export const session = $state<Session>({ state: 'starting', hasAdmin: true, user: null, rights: [], logos: { menuLogo: null, authLogo: null } });

let waiting: ((entered: boolean) => void)[] = [];
onSessionEnd(() => {
  session.state = 'ended';
  return new Promise((resolve) => waiting.push(resolve));
});

/** Start the session from the refresh cookie, if there is one. */
export async function start(): Promise<void> {
  const [init, entered] = await Promise.all([call('GET /admin/init'), renew()]);
  const { hasAdmin, menuLogo, authLogo } = init.data;
  Object.assign(session, { hasAdmin, logos: { menuLogo, authLogo } });
  if (entered) await enter();
  else session.state = 'out';
}

async function enter(): Promise<void> {
  leaveEntrance();
  warmUp(location.pathname);
  const [me, rights] = await Promise.all([call('GET /admin/users/me'), call('GET /admin/users/me/permissions')]);
  session.user = me.data;
  session.rights = rights.data;
  session.state = 'in';
}

/** Read the permissions again, for example those of a new content type. */
export async function readRights(): Promise<void> {
  session.rights = (await call('GET /admin/users/me/permissions')).data;
}

/** Use the access token of a sign-in, and continue the requests that waited for it. */
export async function entered(token: string): Promise<void> {
  const before = session.user?.id;
  keepToken(token);
  await enter();
  session.hasAdmin = true;
  if (before !== undefined && before !== session.user?.id) queries.clear();
  const resolved = waiting;
  waiting = [];
  for (const resolve of resolved) resolve(true);
}

export async function logIn(email: string, password: string): Promise<void> {
  const answer = await call('POST /admin/login', { body: { email, password } });
  await entered(answer.data.token);
}

export async function logOut(): Promise<void> {
  await call('POST /admin/logout').catch(() => undefined);
  if (session.user) forgetCopied(session.user.id);
  keepToken(null);
  queries.clear();
  for (const resolve of waiting) resolve(false);
  waiting = [];
  Object.assign(session, { state: 'out', user: null, rights: [] });
}

/** Return whether an action is allowed, on a content type if it has a subject, under any conditions. */
export function may(action: string, subject?: string): boolean {
  return session.rights.some((right) => right.action === action && (subject === undefined || right.subject === subject));
}
