/**
 * Owners that another API server has: those that it answers behind this one, or those of the server that delegates to it. They are asked for, as 1.32 asks for
 * the owners of an object before it collects that. Only an answer that says that the owner is not there counts as one.
 */
import type { OwnerReference } from '../../contract/object.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import type { OwnerPlace, OwnerSource } from '../controller/owner-source.ts';
import { NamespacedOwnerOfClusterObject } from './owners.ts';
import type { OwnerState } from './ownership.ts';

/** What an answer says: undefined that the owner is not there, `unknown` nothing. */
type Heard = OwnerState | undefined | 'unknown';

/** Matches a version, or a group and a version. */
const API_VERSION = /^(?:[a-z\d](?:[-.]?[a-z\d])*\/)?[a-z\d]+$/;
/** The milliseconds for which an answer is used, so that the dependents of one owner ask only once. */
const HOLDS = 5_000;
/** The most answers that are kept. */
const MAX_KEPT = 1_024;

export class OwnersElsewhere {
  readonly #source: OwnerSource;
  /** the answers by paths; the oldest ones are dropped first */
  readonly #heard = new Map<string, { readonly heard: Promise<Heard>; readonly until: number }>();

  constructor(source: OwnerSource) {
    this.#source = source;
  }

  get isEmpty(): boolean {
    return this.#source.isEmpty;
  }

  /**
   * @param namespace of the dependent; '' for one outside of namespaces
   * @returns undefined where the owner is not there, or another object has its name; `unknown` where that cannot be said
   * @throws NamespacedOwnerOfClusterObject
   */
  async find(reference: OwnerReference, namespace: string): Promise<Heard> {
    const { apiVersion, kind, name, uid } = reference;
    // a reference may hold any text, which must not lead to another path
    if (!API_VERSION.test(apiVersion) || /^\.{1,2}$/.test(name)) return 'unknown';
    const place = await this.#source.place(apiVersion, kind);
    if (place === undefined) return 'unknown';
    if (place.namespaced && namespace === '') throw new NamespacedOwnerOfClusterObject(reference);
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const path = `${root}${place.namespaced ? `/namespaces/${namespace}` : ''}/${place.resource}/${encodeURIComponent(name)}`;
    const heard = await this.#ask(place, path);
    return heard === 'unknown' || heard?.uid === uid ? heard : undefined;
  }

  /** What was answered for a path does not count any longer. */
  forget(path: string): void {
    this.#heard.delete(path);
  }

  #ask(place: OwnerPlace, path: string): Promise<Heard> {
    const kept = this.#heard.get(path);
    if (kept !== undefined && performance.now() < kept.until) return kept.heard;
    const heard = place.get(path).then((answer) => (answer === undefined ? 'unknown' : heardIn(answer)));
    this.#heard.delete(path);
    this.#heard.set(path, { heard, until: performance.now() + HOLDS });
    const [oldest] = this.#heard.keys();
    if (this.#heard.size > MAX_KEPT) this.#heard.delete(oldest as string);
    return heard;
  }
}

interface Answered {
  readonly kind?: unknown;
  readonly reason?: unknown;
  readonly metadata?: { readonly uid?: unknown; readonly deletionTimestamp?: unknown; readonly finalizers?: unknown };
}

function heardIn({ status, body }: { readonly status: number; readonly body: string }): Heard {
  const answered = parsed(body);
  if (status === 404) return answered?.kind === 'Status' && answered.reason === 'NotFound' ? undefined : 'unknown';
  const { uid, deletionTimestamp, finalizers = [] } = answered?.metadata ?? {};
  if (status !== 200 || typeof uid !== 'string' || !Array.isArray(finalizers)) return 'unknown';
  return { uid, deleting: typeof deletionTimestamp === 'string', finalizers: finalizers.map(String) };
}

function parsed(body: string): Answered | undefined {
  try {
    const value = parseNativeJson<unknown>(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
