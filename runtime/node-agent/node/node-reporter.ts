/** Registers the node and reports its status: soon after a change, otherwise every five minutes (specification: Limits). */

import { nodes } from '../../../generated/client/core/v1/index.ts';
import type { Node, NodeStatus } from '../../../generated/client/core/v1/types.ts';
import { informer } from '../../client/informers/informers.ts';
import { isAlreadyExists } from '../../client/objects/api-error.ts';
import type { Client } from '../../client/resources/client.ts';
import type { Clock } from '../../client/work-queue/clock.ts';
import type { Log } from '../../observability/log.ts';
import type { AgentEvents } from '../contract/part.ts';
import { type ConditionState, nodeEvent, transitionEvents, withTimes } from './node-conditions.ts';
import { attachAnnotation, type NodeRegistration, newNode, reconciledLabels } from './node-object.ts';
import { isReported, statusPatch, withOthers } from './node-patch.ts';
import type { StatusSource, WantedStatus } from './node-status.ts';
import { Repeating } from './repeating.ts';

export interface NodeReporterOptions {
  readonly client: Client;
  readonly registration: NodeRegistration;
  /** whether the agent creates the node; otherwise it waits until somebody else has created it */
  readonly registers: boolean;
  readonly source: StatusSource;
  /** milliseconds between measurements of the node, each of which is reported if it differs from what the server has */
  readonly updateFrequency: number;
  /** milliseconds between reports while nothing changes */
  readonly reportFrequency: number;
  readonly events: AgentEvents;
  readonly clock: Clock;
  readonly log: Log;
}

/** Pauses after failed rounds, in milliseconds. */
const RETRIES = { first: 200, longest: 7_000 };
/** The time limit for the last report, when the agent ends, in milliseconds. */
const LAST_REPORT = 3_000;

export class NodeReporter {
  readonly #options: NodeReporterOptions;
  readonly #nodes;
  readonly #rounds: Repeating;
  readonly #informer;
  readonly #registered = Promise.withResolvers<void>();
  #isRegistered = false;
  /** the last known state of the node at the server; undefined if it is not known, or if somebody has deleted it */
  #node: Node | undefined;
  /** the time of the last report, in milliseconds by the clock */
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** the conditions of the last report */
  #told: readonly ConditionState[] = [];
  /** whether pods could not be scheduled on the node when it was seen last; undefined if it was never seen */
  #isUnschedulable: boolean | undefined;

  constructor(options: NodeReporterOptions) {
    this.#options = options;
    const { client, clock, log, registration, updateFrequency } = options;
    this.#nodes = client.resource(nodes);
    this.#informer = informer(this.#nodes, { fields: { 'metadata.name': registration.name } });
    this.#rounds = new Repeating({
      clock,
      retries: RETRIES,
      failed: (error) => log.warn({ err: error }, 'the node could not be reported; it is tried again'),
      work: async (signal) => {
        if (!this.#isRegistered) await this.#register(signal);
        await this.#report(signal);
        return updateFrequency;
      },
    });
  }

  /** The uid of the node; undefined while it is not known. */
  get uid(): string | undefined {
    return this.#node?.metadata.uid;
  }

  /** Begins to register and report the node. Failures are tried again. */
  start(): void {
    this.#rounds.start();
  }

  /** Resolves when the node is registered. */
  registered(): Promise<void> {
    return this.#registered.promise;
  }

  /** Reports soon, because something may have changed. */
  soon(): void {
    this.#rounds.soon();
  }

  /** Ends the reports. The last one says that the node is not ready; it takes `LAST_REPORT` at most. */
  async stop(): Promise<void> {
    const { source, log } = this.#options;
    await this.#rounds.stop();
    await this.#informer.stop();
    if (!this.#isRegistered) return;
    source.shutDown();
    await this.#report(AbortSignal.timeout(LAST_REPORT)).catch((error) => log.warn({ err: error }, 'the end could not be reported'));
  }

  async #register(signal: AbortSignal): Promise<void> {
    const { registers, registration, source, clock } = this.#options;
    if (registers) {
      const wanted = source.status(clock.now());
      try {
        this.#node = (await this.#nodes.create(newNode(registration, timed(wanted, undefined)), { signal })) as Node;
        this.#hasReported(wanted, undefined);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }
    this.#node ??= (await this.#nodes.get(registration.name, { signal })) as Node;
    if (registers) await this.#reconcile(this.#node, signal);
    this.#isRegistered = true;
    this.#follow();
    this.#registered.resolve();
  }

  /** Corrects the labels and annotations of a node that was there before. All else stays, such as whether pods are scheduled there. */
  async #reconcile({ metadata }: Node, signal: AbortSignal): Promise<void> {
    const { registration } = this.#options;
    const { configuration, identity } = registration;
    const labels = reconciledLabels(registration);
    const attach = attachAnnotation(identity);
    const annotations = configuration.enableControllerAttachDetach
      ? attach
      : Object.fromEntries(Object.keys(attach).map((name) => [name, null]));
    const isThere = (wanted: Record<string, string | null>, there: Record<string, string> = {}): boolean =>
      Object.entries(wanted).every(([key, value]) => (there[key] ?? null) === value);
    if (isThere(labels, metadata.labels) && isThere(annotations, metadata.annotations)) return;
    this.#node = (await this.#nodes.mergePatch(registration.name, { metadata: { labels, annotations } }, { signal })) as Node;
  }

  /** Watches the node, so that it is reported again soon after somebody else has changed its conditions. */
  #follow(): void {
    const { log } = this.#options;
    this.#informer.onError((error) => log.debug({ err: error }, 'the node could not be followed; it is tried again'));
    this.#informer.on(({ type, object }) => {
      this.#node = type === 'DELETED' ? undefined : (object as Node);
      if (this.#node === undefined) return;
      this.#tellWhetherSchedulable(this.#node);
      if (this.#told.length > 0 && !hasConditions(this.#node, this.#told)) this.soon();
    });
    this.#informer.start();
  }

  #tellWhetherSchedulable({ spec }: Node): void {
    const { events, registration } = this.#options;
    const isUnschedulable = spec?.unschedulable ?? false;
    if (this.#isUnschedulable !== undefined && isUnschedulable !== this.#isUnschedulable)
      events.record(nodeEvent(isUnschedulable ? 'NodeNotSchedulable' : 'NodeSchedulable', registration.name));
    this.#isUnschedulable = isUnschedulable;
  }

  async #report(signal: AbortSignal): Promise<void> {
    const { source, clock, reportFrequency, registration } = this.#options;
    const now = clock.now();
    const node = this.#node;
    const wanted = withOthers(source.status(now), node, registration.identity.names.labelDomain as string);
    const isDue = now - this.#reportedAt >= reportFrequency;
    if (node !== undefined && !isDue && isReported(node, wanted)) return;
    const patch = statusPatch(node, timed(wanted, node));
    const answer = (await this.#nodes.subresource('status').strategicMergePatch(registration.name, patch, { signal })) as Node;
    // If the watch has told something meanwhile, that may be newer than the answer. If it is older, the watch tells the report, too.
    if (this.#node === node) this.#node = answer;
    else this.soon();
    this.#hasReported(wanted, node);
  }

  #hasReported(wanted: WantedStatus, before: Node | undefined): void {
    const { clock, events, registration } = this.#options;
    this.#reportedAt = clock.now();
    for (const event of transitionEvents(wanted.conditions, this.#told, registration.name)) events.record(event);
    this.#told = wanted.conditions;
    const [bootID, earlier] = [wanted.rest.nodeInfo?.bootID, before?.status?.nodeInfo?.bootID];
    if (earlier && bootID && bootID !== earlier)
      events.record({ type: 'Warning', reason: 'Rebooted', message: `Node ${registration.name} has been rebooted, boot id: ${bootID}` });
  }
}

function timed({ conditions, rest }: WantedStatus, node: Node | undefined): NodeStatus {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  return { ...rest, conditions: withTimes(conditions, node?.status?.conditions ?? [], now) };
}

function hasConditions({ status }: Node, told: readonly ConditionState[]): boolean {
  return told.every(({ type, status: value }) => status?.conditions?.some((each) => each.type === type && each.status === value));
}
