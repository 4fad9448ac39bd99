/** Requests to one server, with its administrator's rights: what a test needs where it has no types of resources. */
import { ApiError } from '../client/objects/api-error.ts';
import { parseJson } from '../client/objects/json.ts';
import { fetchOver } from '../client/resources/fetch.ts';
import { Transport } from '../client/transport/transport.ts';
import type { ClientConfig } from './client-config.ts';

export class Client {
  readonly #transport: Transport;

  constructor({ server, certificateAuthority, token }: ClientConfig) {
    this.#transport = new Transport({ server, certificateAuthority, token, proxy: '' });
  }

  /**
   * The global `fetch`, for paths of this server, which it trusts. A request without `Authorization` is the administrator's.
   * @param path with its query, such as `/api/v1/namespaces?limit=5`
   * @throws TypeError for a request that is none; ConnectionError when the server is gone; the signal's reason when that is aborted
   */
  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetchOver(this.#transport, path, init);
  }

  /**
   * Sends an object as JSON, and gives the object of the answer.
   * @param body of a patch: a merge patch. @throws ApiError for every answer that is no success
   */
  // biome-ignore lint/suspicious/noExplicitAny: objects of the API are of many types, which the caller knows
  async request(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<any> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await this.fetch(path, {
      method,
      headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new ApiError(response.status, text);
    return parseJson(text);
  }

  /** Ends its connections. Resolves when nothing of them is left. */
  close(): Promise<void> {
    return this.#transport.close();
  }
}
