/**
 * Defaults of a structural schema must be values that it would let pass as they are. What is said of metadata, and of the kind and the version of an
 * object, is held against a whole object around it, since its parts are only right together.
 */

import type { JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';
import { aggregateText } from '../../contract/aggregate-text.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { isObject } from '../../schema/json/member.ts';
import type { CustomSchema } from '../../structural-schema/custom-schema.ts';
import { unreadableMember } from '../../structural-schema/embedded-metadata.ts';
import { OBJECT_BUDGET } from '../../structural-schema/rules/limits.ts';
import { RuleCheck } from '../../structural-schema/rules/rule-check.ts';
import { SchemaCheck } from '../../structural-schema/schema-check.ts';
import { shown } from '../../structural-schema/shown-value.ts';
import { hasUnknown, isApiMember } from '../../structural-schema/unknown-members.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachEntry } from '../findings.ts';
import { embeddedFindings } from '../metadata/embedded-objects.ts';
import type { Strictness } from './strictness.ts';

/** Where a schema stands. */
interface Surroundings {
  /** the nearest schema of a whole object */
  readonly object: CustomSchema;
  /** such an object with a value in this place */
  readonly around: (value: unknown) => unknown;
  /** below the metadata, the kind or the version of that object */
  readonly isOfApi: boolean;
}

type Context = Pick<RuleContext, 'metadataProblem' | 'distribution'>;

/**
 * @param schema structural, of a whole object
 * @param strictness tells whether defaults may hold what would be dropped
 */
export function validateDefaults(
  schema: JSONSchemaProps,
  path: string,
  strictness: Pick<Strictness, 'prunedDefaults'>,
  context: Context,
  budget = OBJECT_BUDGET,
): readonly FieldError[] {
  const root = embedding(schema as CustomSchema);
  return new DefaultsCheck(strictness, context, budget).level(root, path, inObject(root));
}

const embedding = (schema: CustomSchema): CustomSchema =>
  schema['x-kubernetes-embedded-resource'] === true ? schema : { ...schema, 'x-kubernetes-embedded-resource': true };

const inObject = (object: CustomSchema): Surroundings => ({
  object,
  around: (value) => (isObject(value) ? { kind: 'Validation', apiVersion: 'validation/v1', ...value } : value),
  isOfApi: false,
});

class DefaultsCheck {
  /** units that the rules of all defaults may still cost */
  #budget: number;
  readonly #strictness: Pick<Strictness, 'prunedDefaults'>;
  readonly #context: Context;

  constructor(strictness: Pick<Strictness, 'prunedDefaults'>, context: Context, budget: number) {
    this.#budget = budget;
    this.#strictness = strictness;
    this.#context = context;
  }

  /** Values of a map are passed over, as 1.32 does. */
  level(schema: CustomSchema, path: string, given: Surroundings): readonly FieldError[] {
    const isObjectOfApi = schema['x-kubernetes-embedded-resource'] === true;
    const place = isObjectOfApi && schema !== given.object ? inObject(schema) : given;
    const { items } = schema;
    return joined(
      schema.default === undefined ? NONE : this.#default(schema, `${path}.default`, place),
      items === undefined ? NONE : this.level(items, `${path}.items`, { ...place, around: (value) => place.around([value]) }),
      eachEntry(schema.properties, `${path}.properties`, (name, member, at) =>
        this.level(member, at, {
          object: place.object,
          around: (value) => place.around({ [name]: value }),
          isOfApi: place.isOfApi || (isObjectOfApi && isApiMember(name)),
        }),
      ),
    );
  }

  #default(schema: CustomSchema, path: string, { object, around, isOfApi }: Surroundings): readonly FieldError[] {
    const value = schema.default;
    if (isOfApi) {
      const problem = this.#problemOfObject(object, around(value));
      return problem === undefined
        ? this.#valueFindings(schema, path)
        : [invalid(path, shown(value), `must result in valid metadata: ${problem}`)];
    }
    const unpruned =
      hasUnknown(schema, value) && this.#strictness.prunedDefaults ? [invalid(path, shown(value), 'must not have unknown fields')] : NONE;
    const unreadable = unreadableMember(schema, value, this.#context);
    if (unreadable !== undefined) return [...unpruned, { ...unreadable, field: `${path}${unreadable.field}` }];
    const found = embeddedFindings(schema, value);
    return joined(unpruned, found.length > 0 ? embedded(path, found) : this.#valueFindings(schema, path));
  }

  #valueFindings(schema: CustomSchema, path: string): readonly FieldError[] {
    const found = below(path, new SchemaCheck(schema, 'of defaults').findings(schema.default, undefined));
    if (found.length > 0 || this.#budget < 0) return found;
    const rules = RuleCheck.of(schema, schema['x-kubernetes-embedded-resource'] === true);
    if (rules === undefined) return NONE;
    const treatment = { budget: this.#budget, ratchets: false, context: this.#context };
    const kept = rules.findings(schema.default, schema.default, path, treatment);
    // What rules say of a value that was there before is not all that they say of a new one.
    const { errors, budget } = kept.errors.length > 0 ? kept : rules.findings(schema.default, undefined, path, treatment);
    this.#budget = Math.min(budget, kept.budget);
    return errors;
  }

  #problemOfObject(schema: CustomSchema, object: unknown): string | undefined {
    const unreadable = unreadableMember(schema, object, this.#context);
    const found = unreadable === undefined ? embeddedFindings(schema, object) : [unreadable];
    const texts = found.map(({ field, message }) => `${field.replace(/^\./, '')}: ${message}`);
    return aggregateText(texts) || undefined;
  }
}

/** Of embedded objects; elements of a list stand directly behind its path. */
const embedded = (path: string, found: readonly FieldError[]): readonly FieldError[] =>
  found.map((error) => ({ ...error, field: error.field.startsWith('[') ? `${path}${error.field}` : joinedPath(path, error.field) }));

/** @param found at paths that begin at a value */
const below = (path: string, found: readonly FieldError[]): readonly FieldError[] =>
  found.map((error) => ({ ...error, field: joinedPath(path, error.field) }));

function joinedPath(path: string, member: string): string {
  return member === '' || member.startsWith('.') ? `${path}${member}` : `${path}.${member}`;
}

/** Whether no default of a schema would lose a member. */
export function areDefaultsPruned(schema: JSONSchemaProps): boolean {
  return !hasUnprunedDefault(embedding(schema as CustomSchema));
}

function hasUnprunedDefault(schema: CustomSchema): boolean {
  const { properties = {}, items } = schema;
  if (schema.default !== undefined && hasUnknown(schema, schema.default)) return true;
  return Object.values(properties).some(hasUnprunedDefault) || (items !== undefined && hasUnprunedDefault(items));
}
