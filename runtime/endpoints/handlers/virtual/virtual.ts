/** Handlers that schemas name: virtual resources, and subresources that are neither `status` nor `scale`. */
import type { HandlerName } from '../../../contract/handlers.ts';
import type { Handler } from '../../resource-request.ts';
import { onDemand } from './on-demand.ts';

/** What passes a request on. Such a handler answers in whatever form the other side does. */
export interface Relay {
  readonly handle: Handler;
  /** methods besides those of the subresource's verbs */
  readonly methods: ReadonlySet<string>;
  /** whether admission is asked about the connection */
  readonly connects: boolean;
  /** whether the path behind the subresource is for the other side */
  readonly below: boolean;
}

const NONE: ReadonlySet<string> = new Set();
const PROXIED: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS']);

const HANDLERS: Readonly<Record<HandlerName, Handler | Relay>> = {
  binding: onDemand(async () => (await import('../subresources/binding.ts')).bind),
  componentstatuses: onDemand(async () => (await import('./componentstatuses.ts')).componentStatuses),
  eviction: onDemand(async () => (await import('../subresources/eviction.ts')).evict),
  'authentication/token-request': onDemand(async () => (await import('../subresources/service-account-token.ts')).requestToken),
  'authentication/self-subject-review': onDemand(async () => (await reviews()).selfSubjectReview),
  'authentication/token-review': onDemand(async () => (await reviews()).tokenReview),
  'authorization/local-subject-access-review': onDemand(async () => (await reviews()).localSubjectAccessReview),
  'authorization/self-subject-access-review': onDemand(async () => (await reviews()).selfSubjectAccessReview),
  'authorization/self-subject-rules-review': onDemand(async () => (await reviews()).selfSubjectRulesReview),
  'authorization/subject-access-review': onDemand(async () => (await reviews()).subjectAccessReview),
  attach: { handle: onDemand(async () => (await import('../subresources/stream.ts')).attach), methods: NONE, connects: true, below: false },
  exec: { handle: onDemand(async () => (await import('../subresources/stream.ts')).exec), methods: NONE, connects: true, below: false },
  log: { handle: onDemand(async () => (await import('../subresources/log.ts')).log), methods: NONE, connects: false, below: false },
  portforward: {
    handle: onDemand(async () => (await import('../subresources/stream.ts')).portForward),
    methods: NONE,
    connects: true,
    below: false,
  },
  'proxy/node': {
    handle: onDemand(async () => (await import('../subresources/proxy.ts')).proxyNode),
    methods: PROXIED,
    connects: true,
    below: true,
  },
  'proxy/pod': {
    handle: onDemand(async () => (await import('../subresources/proxy.ts')).proxyPod),
    methods: PROXIED,
    connects: true,
    below: true,
  },
  'proxy/service': {
    handle: onDemand(async () => (await import('../subresources/proxy.ts')).proxyService),
    methods: PROXIED,
    connects: true,
    below: true,
  },
};

const reviews = () => import('./reviews.ts');

/** @returns undefined for a handler that answers by itself */
export function namedRelay(name: HandlerName | undefined): Relay | undefined {
  const found = name === undefined ? undefined : HANDLERS[name];
  return typeof found === 'function' ? undefined : found;
}

export function namedHandler(name: HandlerName): Handler {
  const found = HANDLERS[name];
  return typeof found === 'function' ? found : found.handle;
}
