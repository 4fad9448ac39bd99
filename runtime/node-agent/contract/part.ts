/** What the parts of a node agent are given, and what they give to it. */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import type { Client } from '../../client/resources/client.ts';
import type { Identity } from '../../contract/identity.ts';
import type { User } from '../../contract/request-context.ts';
import type { Log } from '../../observability/log.ts';

export interface AgentContext {
  /** valid, with its defaults; it never changes */
  readonly configuration: NodeAgentConfiguration;
  /** whether a file or a flag says something of a member of the configuration; else its value is the default. @param field dotted path */
  readonly isGiven: (field: string) => boolean;
  /** absolute path of the agent's folder, which is there */
  readonly rootDirectory: string;
  readonly nodeName: string;
  /** names of the dialect */
  readonly identity: Identity;
  readonly featureEnabled: (gate: string) => boolean;
  readonly log: Log;
  /** of the API server; undefined: the agent is alone */
  readonly client: Client | undefined;
  readonly events: AgentEvents;
}

/** Tells users of the cluster what happens on the node. */
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
  /** one part at most has it */
  readonly runtime?: RuntimeSource;
  /** Waits for the work under way; nothing more begins. */
  stop(): Promise<void>;
}

/** Resolves soon: what may never come, such as a runtime that is down, is waited for behind it. @throws Error where the agent cannot start */
export type StartPart = (context: AgentContext) => Promise<AgentPart>;

export interface AgentRoute {
  /** other methods on the path are answered with 405 */
  readonly method: 'GET' | 'POST';
  /** such as `/checkpoint/{namespace}/{pod}/{container}` */
  readonly path: string;
  /** whether a slash behind the path makes it another one; else it does not count, as in 1.32 */
  readonly isExact?: boolean;
  /** subresource of nodes that whoever asks must have rights for, such as `checkpoint`; the verb goes by the method */
  readonly subresource: string;
  /** whether there is such a path now, asked behind authorization; absent: always */
  readonly isServed?: () => boolean;
  /** @throws AgentProblem; of anything else the message is answered with 500 */
  handle(request: AgentRequest): Promise<AgentAnswer>;
}

export interface AgentRequest {
  /** of the path, decoded */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly user: User;
  /** aborted when the client has gone or the agent ends */
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

/** An answer of an error, in plain text. */
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

/** Resources of the node besides those of the machine, such as devices. */
export interface ResourceSource {
  /** Those that there are now, by names such as `example.org/gpu`: how many, and how many of them pods may have. Others go from the node. */
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
  /** why the node is not ready, such as `container runtime is down`; empty: it is */
  problems(): readonly string[];
  /** @param listener called whenever one of them has changed */
  onChange(listener: () => void): void;
}
