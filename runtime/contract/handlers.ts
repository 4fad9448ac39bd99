/**
 * The names by which schemas choose handlers for virtual resources, and for subresources that are neither `status` nor `scale`.
 * `runtime/endpoints/handlers/virtual/virtual.ts` has a handler for each name.
 */
export const handlerNames = [
  'attach',
  'authentication/self-subject-review',
  'authentication/token-request',
  'authentication/token-review',
  'authorization/local-subject-access-review',
  'authorization/self-subject-access-review',
  'authorization/self-subject-rules-review',
  'authorization/subject-access-review',
  'binding',
  'componentstatuses',
  'eviction',
  'exec',
  'log',
  'portforward',
  'proxy/node',
  'proxy/pod',
  'proxy/service',
] as const;

export type HandlerName = (typeof handlerNames)[number];
