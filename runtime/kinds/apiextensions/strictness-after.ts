/** Rules that a stored definition breaks do not refuse its updates. */
import type { CustomResourceDefinition, JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';
import { authoritiesProblem } from '../../certificates/authorities.ts';
import { type EnvironmentOf, newRules, storedRules } from '../../structural-schema/rules/rule-environments.ts';
import { someSchema } from '../../structural-schema/schema-walk.ts';
import { isConditionTrue } from './conditions.ts';
import { areDefaultsPruned } from './definition-defaults.ts';
import { nonAtomicSet, TYPES, validateItemsAreKeys } from './schema-keywords.ts';
import { REVIEW_VERSIONS, STRICT, type Strictness } from './strictness.ts';
import { isStructural } from './structural.ts';

/** Of what an update asks about the stored definition each answer is found once, and only where the new definition needs it. */
class StrictnessOfUpdates implements Strictness {
  readonly defaults = true;
  readonly #old: CustomResourceDefinition;
  readonly #needsStructure: boolean;
  readonly #schemas: readonly JSONSchemaProps[];
  #stored: StoredExpressions | undefined;
  readonly #known = new Map<(schema: JSONSchemaProps) => boolean, boolean>();

  constructor(old: CustomResourceDefinition, needsStructure: boolean) {
    this.#old = old;
    this.#needsStructure = needsStructure;
    this.#schemas = (old.spec.versions ?? []).flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  }

  get knownReviewVersion(): boolean {
    const known = this.#old.spec.conversion?.webhook?.conversionReviewVersions ?? [];
    return known.length === 0 || known.some((version) => REVIEW_VERSIONS.includes(version));
  }

  get readableAuthorities(): boolean {
    const bundle = this.#old.spec.conversion?.webhook?.clientConfig?.caBundle ?? '';
    return isConditionTrue(this.#old, 'Established') && (bundle === '' || authoritiesProblem(bundle) === undefined);
  }

  get needsSchema(): boolean {
    return this.#schemas.length === (this.#old.spec.versions ?? []).length;
  }

  get structural(): boolean {
    return this.#needsStructure || this.#allAre(isStructural);
  }

  get prunedDefaults(): boolean {
    return this.#allAre(areDefaultsPruned);
  }

  get validTypes(): boolean {
    return this.#allAre(areTypesValid);
  }

  get atomicSets(): boolean {
    return this.#allAre(areSetsAtomic);
  }

  get mapKeys(): boolean {
    return this.#allAre(areItemsKeys);
  }

  /** What was stored before may use what the release before did not know. */
  get ruleEnvironment(): EnvironmentOf {
    this.#stored ??= storedExpressions(this.#schemas);
    const stored = this.#stored;
    return (source, member) => (stored[member].has(source) ? storedRules : newRules)(source, member);
  }

  #allAre(right: (schema: JSONSchemaProps) => boolean): boolean {
    let known = this.#known.get(right);
    if (known === undefined) {
      known = this.#schemas.every(right);
      this.#known.set(right, known);
    }
    return known;
  }
}

const areTypesValid = (schema: JSONSchemaProps) => !someSchema(schema, ({ type }) => Boolean(type) && !TYPES.includes(type as string));
const areSetsAtomic = (schema: JSONSchemaProps) => !someSchema(schema, (each) => nonAtomicSet(each, '').length > 0);
const areItemsKeys = (schema: JSONSchemaProps) => !someSchema(schema, (each) => validateItemsAreKeys(each, '').length > 0);

interface StoredExpressions {
  readonly rule: ReadonlySet<string>;
  readonly messageExpression: ReadonlySet<string>;
}

function storedExpressions(schemas: readonly JSONSchemaProps[]): StoredExpressions {
  const [rule, messageExpression] = [new Set<string>(), new Set<string>()];
  for (const schema of schemas)
    someSchema(schema, ({ 'x-kubernetes-validations': rules = [] }) => {
      for (const each of rules) {
        rule.add(each.rule);
        if (each.messageExpression) messageExpression.add(each.messageExpression);
      }
      return false;
    });
  return { rule, messageExpression };
}

/**
 * @param old the stored one; undefined for a new definition
 * @param needsStructure whether the new one's schemas must be structural in any case
 */
export function strictnessAfter(old: CustomResourceDefinition | undefined, needsStructure: boolean): Strictness {
  return old === undefined ? STRICT : new StrictnessOfUpdates(old, needsStructure);
}
