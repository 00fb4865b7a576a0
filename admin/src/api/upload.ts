/** Send files with their progress, which `fetch` does not report. */
import { accessToken, renew } from './client';
import { ApiError, readError } from './errors';
import { publicUrl } from './root';

/** Send a form. `onprogress` gets the sent share, from 0 to 1. Throws ApiError. */
export async function upload(
  address: string,
  form: FormData,
  onprogress: (done: number) => void,
  signal?: AbortSignal,
): Promise<unknown> {
  const first = await send(address, form, onprogress, signal);
  const answer = first.status === 401 && (await renew()) ? await send(address, form, onprogress, signal) : first;
  if (answer.status >= 200 && answer.status < 300) return answer.body;
  throw readError(answer.status, answer.body);
}

interface Answer {
  status: number;
  body: unknown;
}

function send(address: string, form: FormData, onprogress: (done: number) => void, signal?: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', publicUrl(address));
    request.setRequestHeader('Accept', 'application/json');
    const token = accessToken();
    if (token) request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.upload.onprogress = (event) => event.lengthComputable && onprogress(event.loaded / event.total);
    request.onload = () => resolve({ status: request.status, body: parsed(request.responseText) });
    request.onerror = () => reject(new ApiError(0, 'The service cannot be reached', 'Offline'));
    request.onabort = () => reject(new DOMException('Stopped', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
