/** The part of a client that requests of resources need. */
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
  /** whether the answer is read as it arrives; it is then not compressed */
  readonly isStream?: boolean;
}

export interface Requester {
  /** names of the server's dialect */
  readonly identity: Pick<Identity, 'text'>;
  readonly defaultNamespace: string;
  /** of writes that name no field manager */
  readonly fieldManager: string | undefined;
  /** is aborted by a ConnectionError when the client is closed; after that it is another signal */
  readonly ending: AbortSignal;
  /** Reads an answer as JSON. @throws ApiError; ConnectionError; the reason of the signal */
  request<T>(request: ClientRequest): Promise<T>;
  /**
   * Gives an answer whose body is still to be read. A request is repeated if the server asks for it again later.
   * @throws ApiError for an answer that is no success; ConnectionError; the reason of the signal
   */
  send(request: ClientRequest): Promise<TransportAnswer>;
  /** The global `fetch`, for paths of the server. @returns the answer, whatever its status. @throws ConnectionError; the signal's reason */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Switches to another protocol. @throws ApiError if the server refuses; what `send` throws */
  switchProtocols(path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<SwitchedConnection>;
}
