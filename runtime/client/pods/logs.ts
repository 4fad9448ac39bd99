/** Reads the logs of containers. */
import { StringDecoder } from 'node:string_decoder';
import type { ResourceTypes } from '../resources/resource.ts';
import type { ResourceRequests } from '../resources/resource-requests.ts';
import { readChunks, readText } from '../transport/read-body.ts';
import type { Connectable } from './commands.ts';

export interface LogOptions {
  /** may be absent if the pod has a single container */
  readonly container?: string;
  /** true reads the log of the container before its last restart */
  readonly previous?: boolean;
  /** only lines of the last so many seconds; excludes `sinceTime` */
  readonly sinceSeconds?: number;
  /** only lines after this moment, in RFC 3339 */
  readonly sinceTime?: string;
  /** true puts its time before each line */
  readonly timestamps?: boolean;
  /** only so many lines from the end */
  readonly tailLines?: number;
  /** the most bytes */
  readonly limitBytes?: number;
  /** true does not check the certificate of the node's agent */
  readonly insecureSkipTLSVerifyBackend?: boolean;
  /** which of the two outputs, behind the feature gate `PodLogsQuerySplitStreams`; default `All` */
  readonly stream?: 'All' | 'Stdout' | 'Stderr';
  readonly signal?: AbortSignal;
}

/**
 * Reads the whole present log.
 * @param pods such as `client.resource(pods).in('default')`
 * @throws ApiError; ConnectionError; the reason of the signal
 */
export async function logs<R extends ResourceTypes>(pods: Connectable<R, 'log'>, name: string, options: LogOptions = {}): Promise<string> {
  const requests = pods as unknown as ResourceRequests;
  const { signal } = options;
  const path = pathOf(requests, name, options, false);
  const answer = await requests.client.send({ method: 'GET', path, accept: '*/*', signal });
  return readText(answer, `GET ${path}`, { signal });
}

/**
 * Gives the lines of the log, and then new ones until the container ends.
 * @param pods such as `client.resource(pods).in('default')`
 * @throws ApiError; ConnectionError; the reason of the signal
 */
export async function* followLogs<R extends ResourceTypes>(
  pods: Connectable<R, 'log'>,
  name: string,
  options: LogOptions = {},
): AsyncGenerator<string, void> {
  const requests = pods as unknown as ResourceRequests;
  const { signal } = options;
  const path = pathOf(requests, name, options, true);
  const answer = await requests.client.send({ method: 'GET', path, accept: '*/*', signal, isStream: true });
  const decoder = new StringDecoder();
  let begun = '';
  for await (const chunk of readChunks(answer, `GET ${path}`, signal)) {
    const lines = (begun + decoder.write(chunk)).split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
  }
  begun += decoder.end();
  if (begun !== '') yield begun;
}

function pathOf(requests: ResourceRequests, name: string, { signal: _signal, ...options }: LogOptions, follow: boolean): string {
  return requests.subresource('log').path(name, { ...options, ...(follow && { follow }) });
}
