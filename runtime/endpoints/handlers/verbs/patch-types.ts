/** The media types that patches have. */
import { newUnsupportedMediaType, newUnsupportedPatchType, type StatusError } from '../../../status/status.ts';
import type { ResourceRequest } from '../../resource-request.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';
const APPLY_CBOR_PATCH = 'application/apply-patch+cbor';

/** JSON is YAML, too. */
export type ApplyForm = 'yaml' | 'cbor';

/** What is known of a patch before anything of it is read. */
export type PatchTarget = Pick<ResourceRequest, 'server' | 'context' | 'resource' | 'kind'>;

/** The media type to the letter, a space before its parameters included, as 1.32 takes it. */
export function patchType({ context }: Pick<PatchTarget, 'context'>): string {
  return withoutParameters(context.req.headers['content-type'] ?? '');
}

/** The form of what is to be applied; undefined for another patch. */
export function applyForm(target: PatchTarget): ApplyForm | undefined {
  const type = patchType(target);
  if (type === APPLY_PATCH) return 'yaml';
  return type === APPLY_CBOR_PATCH && target.server.negotiator.speaksCbor ? 'cbor' : undefined;
}

/** As in 1.32 a patch of another type is refused before anything else that is wrong with the request. @throws StatusError UnsupportedMediaType */
export function requirePatchType(target: PatchTarget): void {
  const types = patchTypes(target);
  if (!types.includes(patchType(target))) throw unsupported(target, types);
}

/** A strategic merge goes by what structs of Go's say of patches. What definitions have brought has none, though its scale is one. */
function patchTypes(target: PatchTarget): string[] {
  return [
    JSON_PATCH,
    MERGE_PATCH,
    ...(isGo(target) ? [STRATEGIC_MERGE_PATCH] : []),
    APPLY_PATCH,
    ...(target.server.negotiator.speaksCbor ? [APPLY_CBOR_PATCH] : []),
  ];
}

const isGo = ({ resource, kind }: PatchTarget): boolean => kind.compiled.isGo && resource.data.isDefined !== true;

/** Before built-in kinds 1.32 has a router that lets pass what names a patch type anywhere; its handler lets pass what is one. */
function unsupported(target: PatchTarget, types: string[]): StatusError {
  if (!isGo(target)) return newUnsupportedMediaType(types);
  const named = (target.context.req.headers['content-type'] ?? '').split(',').map((part) => withoutParameters(part).trim());
  return named.some((type) => types.includes(type)) ? newUnsupportedMediaType(types) : newUnsupportedPatchType();
}

function withoutParameters(mediaType: string): string {
  return mediaType.split(';', 1)[0] ?? '';
}
