/** Virtual resources of authentication and authorization: a question is posted, the answer is the object with its status. */

import { reviewSelf } from '../../../authentication/reviews/self-subject-review.ts';
import { reviewToken } from '../../../authentication/reviews/token-review.ts';
import type { Authorizer } from '../../../authorization/authorizer.ts';
import { reviewLocalAccess, reviewSelfAccess, reviewSubjectAccess } from '../../../authorization/reviews/access-review.ts';
import { reviewSelfRules } from '../../../authorization/reviews/self-subject-rules-review.ts';
import type { ApiObject } from '../../../contract/object.ts';
import { withGoStructures } from '../../../registry/resource-store/shown-structures.ts';
import { dropUnkept } from '../../../registry/resource-store/strategy.ts';
import { copyValue } from '../../../schema/copy.ts';
import { newInvalid } from '../../../status/status.ts';
import { objectErrors } from '../../../validation/kind-errors.ts';
import { transformObject } from '../../answers/respond.ts';
import { type ResourceRequest, sendShown } from '../../resource-request.ts';
import { WriteAdmission } from '../verbs/admit.ts';
import { beginNew, readWrite, tracedWrite, trackSentFields, type Write } from '../verbs/write.ts';

type Review = (object: ApiObject, request: ResourceRequest) => ApiObject | Promise<ApiObject>;

function reviewHandler(review: Review) {
  return async (request: ResourceRequest): Promise<void> => {
    const { server, kind, info, negotiated } = request;
    const write = await readWrite(request, 'create');
    beginNew(request, write.object);
    const answer = await tracedWrite(request, async () => review(await admitted(request, write), request));
    const spoken = kind.hub === kind ? answer : kind.fromHub(copyValue(answer));
    return sendShown(request, transformObject(server, kind, answer, spoken, negotiated, info.query), server.identity.createStatus);
  };
}

/** @returns the question, of the hub. @throws StatusError */
async function admitted(request: ResourceRequest, write: Write): Promise<ApiObject> {
  const { server, kind, info } = request;
  const { options } = write;
  const object = kind.toHub(write.object);
  const context = server.ruleContext(options.dryRun, request.client);
  dropUnkept(kind.hub, object, undefined, context);
  await trackSentFields(request, undefined, object, write);
  const errors = objectErrors(kind.hub, object, undefined, context);
  // An invalid review is reported without a kind, as 1.32 does it.
  if (errors.length > 0) throw newInvalid({ group: info.group, kind: '' }, '', withGoStructures(kind.hub.data.type, errors));
  const admission = new WriteAdmission(request, 'create', options);
  await admission.mutate(object, undefined);
  await admission.validate(object, undefined);
  return object;
}

/** Gives up those that it asks when nobody waits for the review any longer. */
const authorizerFor = ({ server, client }: ResourceRequest): Pick<Authorizer, 'authorize'> => ({
  authorize: (attributes) => server.authorizer.authorize(attributes, client),
});

export const selfSubjectReview = reviewHandler((object, { user }) => reviewSelf(object, user, Date.now()));
export const tokenReview = reviewHandler((object, { server, client }) =>
  reviewToken(object, (token, audiences) => server.authenticateToken(token, audiences, client), server.apiAudiences),
);
export const selfSubjectAccessReview = reviewHandler((object, request) => reviewSelfAccess(object, request.user, authorizerFor(request)));
export const subjectAccessReview = reviewHandler((object, request) => reviewSubjectAccess(object, authorizerFor(request)));
export const localSubjectAccessReview = reviewHandler((object, request) =>
  reviewLocalAccess(object, request.info.namespace, authorizerFor(request)),
);
export const selfSubjectRulesReview = reviewHandler((object, { server, user }) =>
  reviewSelfRules(object, user, (who, namespace) => server.authorizer.rules(who, namespace)),
);
