/** Notices for values that a server accepts in the original object and refuses in the converted one. */

import type { FieldError } from '../../../runtime/contract/field-error.ts';
import type { RuleContext } from '../../../runtime/contract/kind-rules.ts';
import { noAllocator } from '../../../runtime/contract/no-allocator.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { OWN_WORK } from '../../../runtime/contract/request-context.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { copyValue } from '../../../runtime/schema/copy.ts';
import { objectErrors } from '../../../runtime/validation/kind-errors.ts';
import type { Conversion } from '../conversion.ts';
import type { KnownKinds } from '../known-kinds.ts';
import type { Notice } from './notice.ts';

/** Greatest number of such notices for one object. */
const MAX_TOLD = 20;

/** Compares what validation finds in the two versions. */
export async function refusedValues(kinds: KnownKinds, { from, to, before, meant }: Conversion): Promise<Notice[]> {
  const taken = await findings(kinds, from, before);
  const known = new Set(taken.map(({ field, reason }) => `${reason} ${field}`));
  const found = await findings(kinds, to, meant);
  return found
    .filter(({ field, reason }) => !known.has(`${reason} ${field}`))
    .slice(0, MAX_TOLD)
    .map(({ field, message }) => ({ path: field, text: `${to.apiVersion} refuses it: ${message}` }));
}

/** @returns what validation would find if a client created the object in that version */
async function findings(kinds: KnownKinds, kind: Kind, object: ApiObject): Promise<readonly FieldError[]> {
  const { hub } = kind;
  const context = contextOf(kinds, kind);
  const { status: _status, ...sent } = kind.toHub(copyValue(object)) as ApiObject & { status?: unknown };
  const created = hub.normalized(sent);
  await hub.rules.prepareForCreate?.(created, context);
  return [...objectErrors(hub, created, undefined, context), ...(hub.rules.validateCreate?.(created, context) ?? [])];
}

function contextOf({ identity, featureEnabled }: KnownKinds, { apiVersion }: Kind): RuleContext {
  return {
    text: identity.text,
    now: Date.now,
    dryRun: true,
    request: { ...OWN_WORK, verb: 'create', version: apiVersion },
    allocator: NO_ALLOCATOR,
    allowsPrivileged: true,
    explainsCosts: false,
    featureEnabled,
    metadataProblem: () => undefined,
  };
}

const NO_ALLOCATOR = noAllocator('manifests take no addresses and ports');
