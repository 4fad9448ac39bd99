/** What requests of resources need of a client. */
import type { Identity } from '../../contract/identity.ts';
import type { SwitchedConnection, TransportAnswer } from '../transport/transport.ts';

export interface ClientRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** with its query */
  readonly path: string;
  /** media types of the answer; absent: JSON */
  readonly accept?: string;
  readonly body?: { readonly type: string; readonly text: string } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** the answer is read as it comes, so it is not compressed */
  readonly isStream?: boolean;
}

export interface Requester {
  /** names of the server's dialect */
  readonly identity: Pick<Identity, 'text'>;
  readonly defaultNamespace: string;
  /** of writes that name none */
  readonly fieldManager: string | undefined;
  /** Of what is under way: aborted when the client is closed, by a ConnectionError. */
  readonly ending: AbortSignal;
  /** An answer as JSON. @throws ApiError; ConnectionError; the reason of the signal */
  request<T>(request: ClientRequest): Promise<T>;
  /**
   * An answer whose body is still to be read. Requests that the server wants again later are repeated.
   * @throws ApiError for one that is no success; ConnectionError; the reason of the signal
   */
  send(request: ClientRequest): Promise<TransportAnswer>;
  /** The global `fetch`, for paths of the server. @returns the answer, whatever its status. @throws ConnectionError; the signal's reason */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Switches to another protocol. @throws ApiError where the server does not; what `send` throws */
  switchProtocols(path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<SwitchedConnection>;
}
