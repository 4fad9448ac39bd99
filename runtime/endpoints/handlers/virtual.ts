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
  eviction: evict,
  'authentication/token-request': requestToken,
  'authentication/self-subject-review': selfSubjectReview,
  'authentication/token-review': tokenReview,
  'authorization/local-subject-access-review': localSubjectAccessReview,
  'authorization/self-subject-access-review': selfSubjectAccessReview,
  'authorization/self-subject-rules-review': selfSubjectRulesReview,
  'authorization/subject-access-review': subjectAccessReview,
};

export function namedHandler(name: string): Handler {
  return HANDLERS[name] ?? unavailable;
}

/** What needs a node agent, or a step that this server does not have. */
async function unavailable({ resource, info }: ResourceRequest): Promise<void> {
  const path = info.subresource === '' ? resource.data.name : `${resource.data.name}/${info.subresource}`;
  throw newServiceUnavailable(`${path} cannot be served: this server has no connection to node agents`);
}
