/** Asks mutating webhooks, and changes the object as they say. Loaded with the first one that a request is for. */
import type { ApiObject } from '../../contract/object.ts';
import type { Kind } from '../../registry/kinds/kind.ts';
import { isLong, LongObject, requireFewCopies } from '../../registry/stored-objects/long-value.ts';
import { leaveUnsettled } from '../../registry/unsettled-objects.ts';
import { DecodeError } from '../../schema/codec/codec.ts';
import { copyValue } from '../../schema/copy.ts';
import type { MemberPath } from '../../schema/emptied-members.ts';
import { deepEqual } from '../../schema/equal.ts';
import { JsonSyntaxError, parseJson } from '../../schema/json/json-text.ts';
import { compareUtf8, type JsonObject } from '../../schema/json/member.ts';
import { PatchError } from '../../schema/patch/error.ts';
import { applyJsonPatch, type PatchLimits } from '../../schema/patch/json-patch.ts';
import { escapedAsInGo } from '../../schema/structural/go-json.ts';
import { newInternalErrorOf, type StatusError } from '../../status/status.ts';
import { type AdmissionAttributes, canBeMoved } from '../request/attributes.ts';
import { replaceMembers, requireSameKind } from '../request/changed-object.ts';
import { Reinvocations } from '../request/reinvocations.ts';
import type { Rounds } from '../request/rounds.ts';
import type { Candidate, Webhook } from './configured-webhooks.ts';
import type { DispatcherParts } from './dispatcher-parts.ts';
import { CallError, isFailure } from './refusals.ts';
import { VersionedObjects } from './versioned-objects.ts';
import { WebhookCaller } from './webhook-caller.ts';
import type { WebhookCredentials } from './webhook-credentials.ts';
import { type Invocation, WebhookMatcher } from './webhook-matcher.ts';
import { WebhookMetrics } from './webhook-metrics.ts';

const DOMAIN = 'webhook.admission.${groupDomain}';

export class MutatingDispatcher {
  readonly #parts: DispatcherParts;
  readonly #caller: WebhookCaller;
  readonly #matcher: WebhookMatcher;
  readonly #metrics: WebhookMetrics;
  readonly #domain: string;

  /** @param credentials with which webhooks are asked; absent: as nobody */
  constructor(parts: DispatcherParts, credentials: WebhookCredentials | undefined) {
    this.#parts = parts;
    this.#caller = new WebhookCaller({ ...parts, credentials }, true);
    this.#metrics = new WebhookMetrics(parts.metrics, true);
    this.#matcher = new WebhookMatcher(parts, this.#metrics);
    this.#domain = parts.identity.text(DOMAIN);
  }

  /** Closes the connections to where none of these webhooks is. */
  keep(webhooks: readonly Webhook[]): void {
    this.#caller.keep(webhooks);
  }

  async dispatch(candidates: readonly Candidate[], attributes: AdmissionAttributes, rounds: Rounds): Promise<void> {
    // plugins after this one look at the namespace: where another thread is to read it, that turns out before anybody is asked
    if (attributes.namespace !== '') this.#parts.objects.shared('namespaces', '', attributes.namespace);
    const reinvocations = Reinvocations.of(rounds, this);
    if (rounds.isSecond) reinvocations.beginAgain(attributes.object);
    const versions = new VersionedObjects(attributes);
    for (const candidate of candidates) {
      if (!this.#matcher.selects(candidate, attributes)) continue;
      const { webhook, index } = candidate;
      const invocation = await this.#matcher.invocationOf(candidate, attributes, versions);
      if (invocation === undefined || (rounds.isSecond && !reinvocations.isDue(webhook.id))) continue;
      const place = `round_${rounds.isSecond ? 1 : 0}_index_${index}`;
      if (await this.#ask(invocation, attributes, versions, place)) {
        reinvocations.changed();
        rounds.askAgain();
      }
      if (webhook.spec.reinvocationPolicy === 'IfNeeded') reinvocations.invoked(webhook.id);
    }
    reinvocations.end(attributes.object);
  }

  /** @returns whether the object has changed */
  async #ask(invocation: Invocation, attributes: AdmissionAttributes, versions: VersionedObjects, place: string): Promise<boolean> {
    const { webhook } = invocation;
    const { request } = attributes;
    const began = performance.now();
    const note = (mutated: boolean): void =>
      request.annotate(`mutation.${this.#domain}/${place}`, escapedAsInGo(JSON.stringify({ ...namesOf(webhook), mutated })));
    try {
      const mutated = await this.#metrics.counted(webhook, attributes, () => this.#change(invocation, attributes, versions, place));
      note(mutated);
      return mutated;
    } catch (error) {
      if (error instanceof LongObject) throw error;
      note(false);
      if (webhook.failsOpen && isFailure(error)) request.annotate(`failed-open.mutation.${this.#domain}/${place}`, webhook.name);
      if (!(error instanceof CallError)) throw error;
      if (!webhook.failsOpen) throw newInternalErrorOf(error.message);
      request.throwIfOver();
      this.#parts.log.warn({ problem: error.message }, 'a mutating webhook that may fail has not been asked');
      return false;
    } finally {
      request.took('mutating-webhook', performance.now() - began);
    }
  }

  /** @returns whether the object has changed. @throws CallError, StatusError */
  async #change(invocation: Invocation, attributes: AdmissionAttributes, versions: VersionedObjects, place: string): Promise<boolean> {
    const { webhook, facts, versioned } = invocation;
    const { patch, patchType } = await this.#caller.ask(webhook, attributes, facts, versioned);
    const isForOthers = !this.#parts.mayTakeLong && canBeMoved(attributes);
    if (isForOthers && isLong(patch, 'answer')) throw new LongObject();
    const operations = patch.length === 0 ? [] : operationsOf(patch);
    if (Array.isArray(operations) && operations.length === 0) return false;
    if (patchType !== 'JSONPatch') throw new CallError(webhook.name, `unsupported patch type ${JSON.stringify(patchType)}`);
    const mutated = await applied(operations, invocation, attributes, { versions, copied: isForOthers ? requireFewCopies : undefined });
    const { request } = attributes;
    if (request.isRecordedWhole === true)
      request.annotate(`patch.${this.#domain}/${place}`, patchText(webhook, operations as readonly JsonObject[], patchType));
    return mutated;
  }
}

/** What is recorded of a patch. The members of its operations are sorted by name, those of their values stand as they were sent, as in 1.32. */
function patchText(webhook: Webhook, operations: readonly JsonObject[], patchType: string): string {
  const patch = operations.map((operation) => Object.fromEntries(Object.entries(operation).sort(([a], [b]) => compareUtf8(a, b))));
  return escapedAsInGo(JSON.stringify({ ...namesOf(webhook), patch, patchType }));
}

const namesOf = ({ configuration, name }: Webhook) => ({ configuration, webhook: name });

/** None for null, which is how Go writes a list that nobody has made. @throws StatusError InternalError for what is no JSON */
function operationsOf(patch: Buffer): unknown {
  try {
    return parseJson(patch.toString(), patch).value ?? [];
  } catch (error) {
    throw internal(error);
  }
}

interface Applying {
  readonly versions: VersionedObjects;
  readonly copied: PatchLimits['copied'];
}

/** Changes the object of a request as a patch of its version says. @returns whether that has changed anything. @throws StatusError InternalError */
async function applied(
  operations: unknown,
  { webhook, versioned: { object: spoken, shown, kind } }: Invocation,
  attributes: AdmissionAttributes,
  { versions, copied }: Applying,
): Promise<boolean> {
  const { object, sentEmpty } = attributes;
  if (object === undefined || spoken === undefined || shown === undefined)
    throw newInternalErrorOf(
      `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  try {
    const patched = applyJsonPatch(shown, operations, { operations: Number.POSITIVE_INFINITY, copied }) as Partial<ApiObject>;
    requireSameKind(patched, spoken);
    const { object: decoded, emptied = [] } = madeOf(patched, kind);
    // to take away a default changes the object, though the default comes again
    const isSame = deepEqual(decoded, spoken) && deepEqual(kind.made(copyValue(patched), false), spoken);
    replaceMembers(object, await versions.toHub(decoded, kind));
    leaveUnsettled(object, attributes.kind);
    if (sentEmpty !== undefined) sentEmpty.paths = kind === attributes.kind ? emptied : [];
    versions.forget();
    return !isSame;
  } catch (error) {
    attributes.request.throwIfOver();
    throw internal(error);
  }
}

/** An object with its defaults, and where it has empty lists that are null from now on. @throws DecodeError */
function madeOf(patched: object, kind: Kind): { readonly object: ApiObject; readonly emptied?: readonly MemberPath[] | undefined } {
  return kind.compiled.isGo ? kind.decode(copyValue(patched)) : { object: kind.made(copyValue(patched), true) };
}

const EXPECTED = [PatchError, DecodeError, JsonSyntaxError];

function internal(error: unknown): unknown {
  return EXPECTED.some((type) => error instanceof type) ? newInternalErrorOf((error as Error).message) : (error as StatusError);
}
