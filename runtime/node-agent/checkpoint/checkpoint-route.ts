/** `POST /checkpoint/{namespace}/{pod}/{container}`: makes the runtime write the current state of a container to a file (KEP-2008). */

import { parseInt64 } from '../../schema/scalar/raw-number.ts';
import type { ContainerRuntime } from '../container-runtime/container-runtime.ts';
import { type ContainerPlace, findContainer } from '../container-runtime/find-container.ts';
import { type AgentAnswer, AgentProblem, type AgentRequest, type AgentRoute, jsonAnswer } from '../contract/part.ts';
import type { ArchiveFolder } from './archive-folder.ts';
import { Turns } from './turns.ts';

/** Most requests that wait while another one for the same container is under way. */
const MAX_WAITING = 4;
/** Most bytes of a file's name. */
const MAX_NAME = 255;
/** Names of namespaces, pods and containers. Other characters, such as slashes, are not allowed, because the names become part of a file's name. */
const NAME = /^[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?$/;

export interface CheckpointParts {
  readonly runtime: ContainerRuntime;
  readonly folder: ArchiveFolder;
  /** of the feature gate ContainerCheckpoint */
  readonly isEnabled: () => boolean;
  /** called for every archive */
  readonly note: (archive: { readonly path: string; readonly user: string }) => void;
}

/** Requests for the same container run one after the other, because the runtime freezes the container for each. */
export function checkpointRoute(parts: CheckpointParts): AgentRoute {
  const turns = new Turns(MAX_WAITING);
  return {
    method: 'POST',
    path: '/checkpoint/{namespace}/{pod}/{container}',
    subresource: 'checkpoint',
    isServed: parts.isEnabled,
    handle: (request) => answer(parts, turns, request),
  };
}

async function answer(parts: CheckpointParts, turns: Turns, request: AgentRequest): Promise<AgentAnswer> {
  const { namespace = '', pod = '', container = '' } = request.parameters;
  const place = { namespace, pod, container };
  const id = await containerId(parts.runtime, place, request.signal);
  const timeout = timeoutOf(request.query);
  const turn = await turns.take(id, request.signal, () => archive(parts, place, { id, timeout, signal: request.signal }));
  if (turn === undefined)
    throw new AgentProblem(
      429,
      `checkpointing of ${text(place)} is under way, and ${MAX_WAITING} other requests wait for it; ask again later`,
      { 'retry-after': '1' },
    );
  parts.note({ path: turn.value, user: request.user.name });
  return jsonAnswer({ items: [turn.value] });
}

/** @returns seconds; 0 for the runtime's own timeout. @throws AgentProblem 404 for what is no number, as in 1.32 */
function timeoutOf(query: URLSearchParams): bigint {
  const last = query.getAll('timeout').at(-1);
  if (last === undefined) return 0n;
  const seconds = parseInt64(last);
  if (seconds === undefined) throw new AgentProblem(404, 'cannot parse value of timeout parameter');
  return seconds;
}

/** @throws AgentProblem 404 if there is no such container, 500 if the runtime does not answer */
async function containerId(runtime: ContainerRuntime, place: ContainerPlace, signal: AbortSignal): Promise<string> {
  if (!NAME.test(place.namespace) || !NAME.test(place.pod)) throw new AgentProblem(404, 'pod does not exist');
  if (!NAME.test(place.container)) throw new AgentProblem(404, `container ${place.container} does not exist`);
  const found = await findContainer(runtime, place, signal).catch((error: Error) => {
    throw failed(place, error);
  });
  if ('container' in found) return found.container.id;
  throw new AgentProblem(404, found.missing === 'pod' ? 'pod does not exist' : `container ${place.container} does not exist`);
}

interface ArchiveOrder {
  readonly id: string;
  readonly timeout: bigint;
  readonly signal: AbortSignal;
}

/** @returns path of the archive. @throws AgentProblem 500 */
async function archive(
  { runtime, folder }: CheckpointParts,
  place: ContainerPlace,
  { id, timeout, signal }: ArchiveOrder,
): Promise<string> {
  try {
    if (timeout < 0n) throw new Error('CheckpointContainer requires the timeout value to be > 0');
    const nameFor = (time: Date, isPrecise: boolean): string => archiveName(place, time, isPrecise);
    return await folder.keep(nameFor, (location) => runtime.checkpoint({ containerId: id, location, timeout, signal }));
  } catch (error) {
    throw failed(place, error as Error);
  }
}

/** @param isPrecise with milliseconds, where one of the same second is there. @throws Error for a name that no file can have */
function archiveName({ namespace, pod, container }: ContainerPlace, time: Date, isPrecise: boolean): string {
  const timeText = isPrecise ? time.toISOString() : time.toISOString().replace(/\.\d+Z$/, 'Z');
  const name = `checkpoint-${pod}_${namespace}-${container}-${timeText}.tar`;
  const { length } = name;
  if (length > MAX_NAME) throw new Error(`the archive would have a name of ${length} bytes, and a file's has ${MAX_NAME} at most: ${name}`);
  return name;
}

function failed(place: ContainerPlace, { message }: Error): AgentProblem {
  return new AgentProblem(500, `checkpointing of ${text(place)} failed (${message})`);
}

function text({ namespace, pod, container }: ContainerPlace): string {
  return `${namespace}/${pod}/${container}`;
}
