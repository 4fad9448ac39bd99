/** What rules ask of the server, for tests of rules alone. */
import fs from 'node:fs';
import { parse } from 'yaml';
import { ObjectMeta } from '../../generated/meta/v1/descriptors.ts';
import type { Allocator } from '../../runtime/contract/allocation.ts';
import type { FieldError } from '../../runtime/contract/field-error.ts';
import { createIdentity, type Identity } from '../../runtime/contract/identity.ts';
import type { KindRules, UpdateContext } from '../../runtime/contract/kind-rules.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { OWN_WORK } from '../../runtime/contract/request-context.ts';
import { metadataProblem } from '../../runtime/schema/codec/codec.ts';

export const identity: Identity = createIdentity(
  parse(fs.readFileSync(new URL('../../schemas/identity.yaml', import.meta.url), 'utf8')),
  'kubernetes',
);

/** @param gates feature gates that are on */
export function ruleContext(...gates: readonly string[]): UpdateContext {
  return {
    text: identity.text,
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    dryRun: false,
    request: { ...OWN_WORK, version: 'v1' },
    allocator: {} as Allocator,
    allowsPrivileged: true,
    explainsCosts: false,
    metadataProblem: (value) => metadataProblem(ObjectMeta, identity, value),
    featureEnabled: (gate) => gates.includes(gate),
    changeText: (path) => `(${path})`,
  };
}

/** An object as decoding leaves it, with the members that a test names. */
export function object(apiVersion: string, kind: string, members: object, metadata: object = {}): ApiObject {
  return { kind, apiVersion, metadata: { name: 'x', namespace: 'n', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata }, ...members };
}

/** One line for each error, as the message of a Status has it. */
export function lines(errors: readonly FieldError[] | undefined): string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.message}`);
}

/** What a kind's rules say of a new object. */
export function creationErrors(rules: KindRules, given: ApiObject, context: UpdateContext): string[] {
  return lines([...(rules.validate?.(given, context) ?? []), ...(rules.validateCreate?.(given, context) ?? [])]);
}
