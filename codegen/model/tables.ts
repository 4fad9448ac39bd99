/** Reads the tables beside the group versions: identity, releases, feature gates. One of a wrong form is reported, and counts as empty. */

import type { ErrorObject } from 'ajv';
import { Ajv } from 'ajv';
import type { IdentityData } from '../../runtime/contract/identity.ts';
import type { Report } from '../check/diagnostic.ts';
import { formProblem } from '../read/form-problem.ts';
import type { Sources } from '../read/sources.ts';
import type { FeatureGate, FeatureGateStage, Model } from './model.ts';

const row = (value: object) => ({
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: { cluster: value, kubernetes: value },
    required: ['cluster', 'kubernetes'],
    additionalProperties: false,
  },
});
const stage = {
  type: 'object',
  properties: {
    release: { type: 'string' },
    stage: { enum: ['Alpha', 'Beta', 'GA', 'Deprecated', 'Removed'] },
    default: { type: 'boolean' },
    locked: { type: 'boolean' },
    requires: { type: 'array', items: { type: 'string' }, minItems: 1 },
  },
  required: ['release', 'stage', 'default'],
  additionalProperties: false,
};

const ajv = new Ajv({ allErrors: true, strict: false });
const forms = {
  identity: ajv.compile<IdentityData>({
    type: 'object',
    properties: { names: row({ type: 'string' }), behaviour: row({}) },
    required: ['names', 'behaviour'],
    additionalProperties: false,
  }),
  releases: ajv.compile<{ current: string; oldest: string; releases: Record<string, string> }>({
    type: 'object',
    properties: {
      current: { type: 'string' },
      oldest: { type: 'string' },
      releases: {
        type: 'object',
        additionalProperties: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
        propertyNames: { pattern: '^[0-9]+[.][0-9]+$' },
        minProperties: 1,
      },
    },
    required: ['current', 'oldest', 'releases'],
    additionalProperties: false,
  }),
  featureGates: ajv.compile<Record<string, readonly FeatureGateStage[]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: stage, minItems: 1 },
    propertyNames: { pattern: '^[A-Z][A-Za-z0-9]*$' },
  }),
};

export const IDENTITY_FILE = 'schemas/identity.yaml';
export const RELEASES_FILE = 'schemas/releases.yaml';
export const FEATURE_GATES_FILE = 'schemas/feature-gates.yaml';

export function readIdentity(sources: Sources, report: Report): IdentityData {
  return wellFormed(forms.identity, sources.identity, IDENTITY_FILE, report) ?? { names: {}, behaviour: {} };
}

/** Releases stand in the order of the file, in which the oldest is first. */
export function readReleases(sources: Sources, report: Report): Pick<Model, 'releases' | 'currentRelease' | 'oldestRelease'> {
  const table = wellFormed(forms.releases, sources.releases, RELEASES_FILE, report);
  const { current, oldest, releases } = table ?? { current: '', oldest: '', releases: {} };
  return { currentRelease: current, oldestRelease: oldest, releases: Object.entries(releases).map(([name, date]) => ({ name, date })) };
}

export function readFeatureGates(sources: Sources, report: Report): FeatureGate[] {
  const table = wellFormed(forms.featureGates, sources.featureGates, FEATURE_GATES_FILE, report) ?? {};
  return Object.entries(table)
    .map(([name, stages]) => ({ name, stages }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function wellFormed<T>(
  validate: ((value: unknown) => value is T) & { errors?: readonly ErrorObject[] | null },
  value: unknown,
  file: string,
  report: Report,
): T | undefined {
  if (value === undefined) return undefined;
  if (validate(value)) return value;
  for (const error of validate.errors ?? [])
    report('CS013', { file, path: error.instancePath.slice(1).replaceAll('/', '.') }, `The value ${formProblem(error)}.`);
  return undefined;
}
