/** Where a `proxy` request goes: to which address and port, and whether over TLS. */
import type { ApiObject } from '../contract/object.ts';
import type { ResourceStore } from '../registry/resource-store/resource-store.ts';
import { LongObject } from '../registry/stored-objects/long-value.ts';
import { readInTurns } from '../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../registry/stored-objects/stored-object.ts';
import { newBadRequest, newServiceUnavailable } from '../status/status.ts';
import type { Entry } from '../storage/storage.ts';
import { addressNotAllowed, isGlobalUnicast, reachableAddress } from './addresses.ts';
import type { Target } from './dial.ts';
import { neededObject } from './needed-objects.ts';
import { nodeAgent } from './node-agents.ts';
import { storedPod } from './pod-containers.ts';
import type { RelayServer } from './relay-server.ts';

/** What a client writes as `name`, `name:port` or `scheme:name:port`. */
export interface Place {
  /** '' for none */
  readonly scheme: string;
  readonly name: string;
  /** a number or a name; '' for none */
  readonly port: string;
}

/** @returns undefined for a text of another form */
export function parsePlace(text: string): Place | undefined {
  const parts = text.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme)) return undefined;
  return { scheme, name, port };
}

/** Certificates of pods and services are not verified, because they do not name the addresses that the server connects to (as in 1.32). */
function target(scheme: string, host: string, port: number): Target {
  return scheme === 'https' ? { host, port, tls: {} } : { host, port };
}

/** @throws StatusError BadRequest */
function portNumber(text: string, scheme: string): number {
  if (text === '') return scheme === 'https' ? 443 : 80;
  if (!/^\d{1,15}$/.test(text)) throw newBadRequest(`invalid port ${JSON.stringify(text)}`);
  return Number(text);
}

/**
 * The agent of a node, or another port of the node's machine. Whoever may write a node's status says where it is, so its address is held against the same
 * rules for both: else the server would show its certificate for node agents to what listens on its own machine.
 * @throws StatusError
 */
export async function nodePlace(server: RelayServer, _namespace: string, text: string): Promise<Target> {
  const place = parsePlace(text);
  if (place === undefined) throw newBadRequest(`invalid node request ${JSON.stringify(text)}`);
  const agent = await nodeAgent(server, place.name, 'nodes');
  const address = await reachableAddress(agent.host);
  if (place.port === '' || place.port === String(agent.port)) return { ...agent, address };
  return target(place.scheme, address, portNumber(place.port, place.scheme));
}

/** A pod, at the given port, or at the first port that its containers name. @throws StatusError */
export async function podPlace(server: RelayServer, namespace: string, text: string): Promise<Target> {
  const place = parsePlace(text);
  if (place === undefined) throw newBadRequest(`invalid pod request ${JSON.stringify(text)}`);
  const pod = await storedPod(server, namespace, place.name);
  const address: string = pod.status?.podIPs?.[0]?.ip ?? '';
  if (!isGlobalUnicast(address)) throw addressNotAllowed();
  return target(place.scheme, address, portNumber(place.port || firstPort(pod), place.scheme));
}

function firstPort({ spec }: ApiObject): string {
  const containers: readonly { ports?: readonly { containerPort: number }[] }[] = spec.containers ?? [];
  const named = containers.find(({ ports = [] }) => ports.length > 0);
  return String(named?.ports?.[0]?.containerPort ?? '');
}

/** One of the ready addresses behind a service, chosen at random. @throws StatusError */
export async function servicePlace(server: RelayServer, namespace: string, text: string): Promise<Target> {
  const place = parsePlace(text);
  if (place === undefined) throw newBadRequest(`invalid service request ${JSON.stringify(text)}`);
  const port = await portName(server, namespace, place);
  const endpoints = await neededObject(server, 'endpoints', namespace, place.name, 'services');
  const subsets: readonly Subset[] = endpoints.subsets ?? [];
  for (const { addresses = [], ports = [] } of shuffled(subsets)) {
    const found = ports.find(({ name = '' }) => name === port);
    if (found === undefined) continue;
    for (const address of shuffled(addresses))
      if (await isPodsOwn(server, namespace, address)) return target(place.scheme, address.ip, found.port);
  }
  // if there are endpoints, the port may be what is wrong: then the message has it, too
  throw newServiceUnavailable(`no endpoints available for service ${JSON.stringify(subsets.length === 0 ? place.name : text)}`);
}

interface Subset {
  readonly addresses?: readonly Address[];
  readonly ports?: readonly { readonly name?: string; readonly port: number }[];
}

interface Address {
  readonly ip: string;
  readonly targetRef?: { readonly name?: string; readonly namespace?: string };
}

/** Ports of endpoints have names; a number is looked up in the service. */
async function portName(server: RelayServer, namespace: string, { name, port }: Place): Promise<string> {
  if (!/^[-+]?\d{1,18}$/.test(port)) return port;
  const service = await neededObject(server, 'services', namespace, name, 'services');
  const ports: readonly { name?: string; port: number }[] = service.spec.ports ?? [];
  const found = ports.find((each) => each.port === Number(port));
  if (found === undefined) throw newServiceUnavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
  return found.name ?? '';
}

/**
 * Whether the address belongs to the pod that the endpoint names. Others are not reached: the right to write endpoints must not be enough to make the
 * server connect to any address.
 */
async function isPodsOwn(server: RelayServer, namespace: string, { ip, targetRef }: Address): Promise<boolean> {
  if (targetRef === undefined || targetRef.namespace !== namespace || !isGlobalUnicast(ip)) return false;
  const pods = server.registry.current.resource('', 'v1', 'pods');
  if (pods === undefined) return false;
  const store = await server.store(pods);
  const entry = store.entry(namespace, targetRef.name ?? '');
  if (entry === undefined) return false;
  const { status } = await readPod(store, entry);
  const addresses: readonly { ip: string }[] = status?.podIPs ?? [];
  return addresses.some((each) => each.ip === ip);
}

async function readPod(store: ResourceStore, entry: Entry): Promise<ApiObject> {
  try {
    return store.decodeEntry(entry);
  } catch (error) {
    if (error instanceof LongObject) return readInTurns(new StoredObject(entry.value), ['status']);
    throw error;
  }
}

/** The list, rotated to begin with a random element. */
function shuffled<T>(list: readonly T[]): T[] {
  const from = Math.floor(Math.random() * list.length);
  return [...list.slice(from), ...list.slice(0, from)];
}
