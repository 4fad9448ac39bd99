/** The contract between a node agent and its parts. */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import type { Client } from '../../client/resources/client.ts';
import type { Identity } from '../../contract/identity.ts';
import type { User } from '../../contract/request-context.ts';
import type { Log } from '../../observability/log.ts';

export interface AgentContext {
  /** valid, and complete with defaults; it never changes */
  readonly configuration: NodeAgentConfiguration;
  /** whether a file or a flag sets a member of the configuration; otherwise its value is the default. @param field dotted path */
  readonly isGiven: (field: string) => boolean;
  /** absolute path of the agent's folder, which exists */
  readonly rootDirectory: string;
  readonly nodeName: string;
  /** names of the dialect */
  readonly identity: Identity;
  readonly featureEnabled: (gate: string) => boolean;
  readonly log: Log;
  /** client of the API server; undefined: the agent runs without one */
  readonly client: Client | undefined;
  readonly events: AgentEvents;
}

/** Records events, which tell users of the cluster what happens on the node. */
export interface AgentEvents {
  record(occurrence: Occurrence): void;
}

export interface Occurrence {
  readonly type: 'Normal' | 'Warning';
  /** in CamelCase */
  readonly reason: string;
  readonly message: string;
  /** an object of the core group, version v1; absent: the node */
  readonly subject?: EventSubject;
}

export interface EventSubject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

export interface AgentPart {
  readonly routes?: readonly AgentRoute[];
  readonly resources?: ResourceSource;
  /** at most one part provides it */
  readonly runtime?: RuntimeSource;
  /** Begins no more work, and waits for the work under way. */
  stop(): Promise<void>;
}

/** Starts a part. It must resolve soon, so it must not wait for anything that may never come, such as a runtime that is down. @throws Error if the agent cannot start */
export type StartPart = (context: AgentContext) => Promise<AgentPart>;

export interface AgentRoute {
  /** other methods on the path get a 405 */
  readonly method: 'GET' | 'POST';
  /** such as `/checkpoint/{namespace}/{pod}/{container}` */
  readonly path: string;
  /** whether a trailing slash makes it another path; absent: the slash is ignored, as in 1.32 */
  readonly isExact?: boolean;
  /** subresource of nodes that the caller needs rights on, such as `checkpoint`; the verb depends on the method */
  readonly subresource: string;
  /** whether the path exists now, which is asked after authorization; absent: always */
  readonly isServed?: () => boolean;
  /** @throws AgentProblem; any other error is answered by 500 with its message */
  handle(request: AgentRequest): Promise<AgentAnswer>;
}

export interface AgentRequest {
  /** parameters in the path, decoded */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly user: User;
  /** aborted when the client is gone or the agent ends */
  readonly signal: AbortSignal;
}

export interface AgentAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** besides the type of the body */
  readonly headers?: Readonly<Record<string, string>>;
}

export const jsonAnswer = (value: unknown): AgentAnswer => ({ status: 200, contentType: 'application/json', body: JSON.stringify(value) });

export const textAnswer = (body: string, status = 200): AgentAnswer => ({ status, contentType: 'text/plain; charset=utf-8', body });

/** An error that is answered in plain text. */
export class AgentProblem extends Error {
  override readonly name = 'AgentProblem';
  readonly status: number;
  /** of the answer, besides its type */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Resources of the node that are not the machine's own, such as devices. */
export interface ResourceSource {
  /** The current resources, by names such as `example.org/gpu`: how many there are, and how many of these pods may use. Others are removed from the node. */
  resources(): Readonly<Record<string, ResourceAmounts>>;
  /** @param listener called whenever they have changed */
  onChange(listener: () => void): void;
}

export interface ResourceAmounts {
  readonly capacity: number;
  readonly allocatable: number;
}

/** The container runtime, as the node's status tells of it. */
export interface RuntimeSource {
  /** such as `containerd://1.6.20`; undefined while it has not answered */
  version(): string | undefined;
  /** why the node is not ready, such as `container runtime is down`; empty: it is ready */
  problems(): readonly string[];
  /** @param listener called whenever one of them has changed */
  onChange(listener: () => void): void;
}
