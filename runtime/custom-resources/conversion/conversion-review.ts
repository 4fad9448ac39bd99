/** Writes ConversionReviews for webhooks, and reads their answers. All errors are in the words of 1.32. */
import {
  type Review as AnyReview,
  namesOf,
  namesText,
  parsedReview,
  ReviewError,
  type ReviewVersion,
  requireReview,
  requireUid,
  reviewMember,
  reviewVersion,
  SHOWN,
} from '../../outbound/webhook-review.ts';

export { namesOf, namesText, ReviewError, type ReviewVersion, reviewVersion };

const KIND = 'ConversionReview';

export type Review = Omit<AnyReview, 'kind'>;

/** @param objects JSON of each. @returns JSON; 1.32 sends an empty answer with each question, which some webhooks fill in */
export function reviewText({ group, version, uid }: Review, desiredAPIVersion: string, objects: readonly string[]): string {
  const [kind, apiVersion, id, desired] = [KIND, `${group}/${version}`, uid, desiredAPIVersion].map((text) => JSON.stringify(text));
  const request = `{"uid":${id},"desiredAPIVersion":${desired},"objects":[${objects.join(',')}]}`;
  return `{"kind":${kind},"apiVersion":${apiVersion},"request":${request},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}`;
}

const place = (path: string, type: string) => ({ path: `${KIND}.${path}`, type });

/**
 * @param bytes the answer
 * @returns the webhook's objects; neither their number nor their types are checked
 * @throws ReviewError
 */
export function convertedObjects(bytes: Buffer, of: Review): readonly unknown[] {
  const review = { kind: KIND, ...of };
  const answer = parsedReview(bytes, review);
  const response = reviewMember(answer, 'response', 'object', place('response', `${review.version}.ConversionResponse`));
  const uid = reviewMember(response ?? {}, 'uid', 'string', place('response.uid', 'types.UID')) ?? '';
  const converted = place('response.convertedObjects', '[]runtime.RawExtension');
  const objects = reviewMember(response ?? {}, 'convertedObjects', 'array', converted) ?? [];
  const result = reviewMember(response ?? {}, 'result', 'object', place('response.result', 'v1.Status')) ?? {};
  const status = reviewMember(result, 'status', 'string', place('response.result.status', 'string')) ?? '';
  const message = reviewMember(result, 'message', 'string', place('response.result.message', 'string')) ?? '';
  if (review.version === 'v1') requireReview(answer, review);
  if (response === undefined) throw new ReviewError('no response provided');
  if (review.version === 'v1') requireUid(uid, review);
  if (status === 'Success') return objects;
  throw new ReviewError(message.slice(0, SHOWN) || `response.result.status was '${status.slice(0, SHOWN)}', not 'Success'`);
}
