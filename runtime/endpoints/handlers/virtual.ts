/** Handlers that schemas name: virtual resources, and subresources that are neither `status` nor `scale`. */
import { newServiceUnavailable } from '../../status/status.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { bind } from './binding.ts';
import { evict } from './eviction.ts';
import type { Handler } from './resource.ts';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  tokenReview,
} from './reviews.ts';
import { requestToken } from './service-account-token.ts';

const HANDLERS: Readonly<Record<string, Handler>> = {
  binding: bind,
  componentstatuses: async (request) => (await import('./componentstatuses.ts')).componentStatuses(request),
  eviction: evict,
  'authentication/token-request': requestToken,
  'authentication/self-subject-review': selfSubjectReview,
  'authentication/token-review': tokenReview,
  'authorization/local-subject-access-review': localSubjectAccessReview,
  'authorization/self-subject-access-review': selfSubjectAccessReview,
  'authorization/self-subject-rules-review': selfSubjectRulesReview,
  'authorization/subject-access-review': subjectAccessReview,
};

/** What passes a request on: loaded when first asked for. Such a handler answers in whatever form the other side does. */
export interface Relay {
  readonly handle: Handler;
  /** methods besides those of the subresource's verbs */
  readonly methods: ReadonlySet<string>;
  /** what stands below the subresource in the path is for the other side */
  readonly below: boolean;
}

const NONE: ReadonlySet<string> = new Set();
const PROXIED: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS']);

const RELAYS: Readonly<Record<string, Relay>> = {
  attach: { handle: async (request) => (await import('./stream.ts')).attach(request), methods: NONE, below: false },
  exec: { handle: async (request) => (await import('./stream.ts')).exec(request), methods: NONE, below: false },
  log: { handle: async (request) => (await import('./log.ts')).log(request), methods: NONE, below: false },
  portforward: { handle: async (request) => (await import('./stream.ts')).portForward(request), methods: NONE, below: false },
  'proxy/node': { handle: async (request) => (await import('./proxy.ts')).proxyNode(request), methods: PROXIED, below: true },
  'proxy/pod': { handle: async (request) => (await import('./proxy.ts')).proxyPod(request), methods: PROXIED, below: true },
  'proxy/service': { handle: async (request) => (await import('./proxy.ts')).proxyService(request), methods: PROXIED, below: true },
};

/** @returns undefined for a handler that answers by itself */
export function namedRelay(name: string): Relay | undefined {
  return RELAYS[name];
}

export function namedHandler(name: string): Handler {
  return HANDLERS[name] ?? unavailable;
}

/** What needs a step that this server does not have. */
async function unavailable({ resource, info }: ResourceRequest): Promise<void> {
  const path = info.subresource === '' ? resource.data.name : `${resource.data.name}/${info.subresource}`;
  throw newServiceUnavailable(`${path} cannot be served yet`);
}
