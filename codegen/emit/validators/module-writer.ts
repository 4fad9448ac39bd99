/** What functions of one `validators.ts` share: imports, lists of values, patterns, rules, the functions of other types. */
import type { HoldsTest, RuleStep, TypeStep } from '../../../runtime/contract/constraint.ts';
import { formatTableOf } from '../../../runtime/validation/formats.ts';
import type { Constraints } from '../../model/constraints/constraints.ts';
import type { Model, NamedType } from '../../model/model.ts';
import { literal, moduleAlias, quote, relativeImport } from '../typescript.ts';
import { textOrLiteral } from './conditions.ts';
import type { Subject } from './subject.ts';

/** Names that generated code takes from the runtime, by file. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  'runtime/contract/field-error.ts': [
    'MOST_FINDINGS',
    'required',
    'invalid',
    'notSupported',
    'forbidden',
    'duplicate',
    'notFound',
    'tooLong',
    'tooMany',
    'typeInvalid',
    'internal',
  ],
  'runtime/validation/findings.ts': ['below', 'report'],
  'runtime/validation/values.ts': [
    'SHORT_LIST',
    'counterpart',
    'hasMoreBytes',
    'isAmong',
    'isLongerThan',
    'isSame',
    'isSpan',
    'keyOf',
    'numeric',
    'shortened',
    'shownKey',
    'sizeOf',
  ],
  'runtime/formats/named-formats.ts': ['formats', 'joinedFormats', 'numberFormats', 'numberOrTextFormats'],
};

const FILE_OF = new Map(Object.entries(SOURCES).flatMap(([file, names]) => names.map((name) => [name, file] as const)));

interface UsedRule {
  readonly alias: string;
  readonly file: string;
  readonly name: string;
  readonly type: string;
}

/** @param module such as `core/v1/validators` */
const validatorsAlias = (module: string): string => moduleAlias(module.replace(/\/validators$/, ''));

const typesAlias = (folder: string): string => `${moduleAlias(folder)}Types`;

/** Of a module `history-validators.ts`, for what earlier releases alone validated. */
export interface ValidatorHistory {
  /** whether the function of a type stands in such a module; others stand in `validators.ts` */
  readonly isOwn: (type: NamedType) => boolean;
  /** whether there is no such type in `types.ts` */
  readonly isGone: (type: NamedType) => boolean;
}

export class ModuleWriter {
  readonly #model: Model;
  readonly #constraints: Constraints;
  readonly #folder: string;
  readonly #history: ValidatorHistory | undefined;
  readonly #used = new Set<string>();
  /** of validators, such as `core/v1/validators` */
  readonly #modules = new Set<string>();
  readonly #types = new Set<string>();
  readonly #rules = new Map<string, UsedRule>();
  readonly #constants = new Map<string, string>();

  /** @param history absent: the module is `validators.ts` */
  constructor(model: Model, constraints: Constraints, folder: string, history?: ValidatorHistory) {
    this.#model = model;
    this.#constraints = constraints;
    this.#folder = folder;
    this.#history = history;
  }

  use(name: string): string {
    if (FILE_OF.has(name)) this.#used.add(name);
    return name;
  }

  /** An expression that may name `numeric` or `sizeOf`. */
  condition(expression: string): string {
    for (const name of ['numeric', 'sizeOf', 'isSame']) if (expression.includes(`${name}(`)) this.use(name);
    return expression;
  }

  texts(values: readonly string[]): string {
    if (values.some((value) => value.includes('${'))) return `[${values.map(textOrLiteral).join(', ')}]`;
    return this.#constant('VALUES', `readonly string[] = ${literal(values)}`);
  }

  pattern(source: string): string {
    return this.#constant('PATTERN', `RegExp = new RegExp(${quote(`^(?:${source})$`)})`);
  }

  #constant(prefix: string, definition: string): string {
    const known = this.#constants.get(definition);
    if (known !== undefined) return known;
    const name = `${prefix}_${this.#constants.size + 1}`;
    this.#constants.set(definition, name);
    return name;
  }

  format(name: string): string {
    return `${this.use(formatTableOf(name) ?? 'formats')}.${name}`;
  }

  /** The rule gets the value with the type that the schema gives it, so that the compiler holds both against each other. */
  ruleCall(step: RuleStep, { value, old }: Subject): string {
    const type = step.definition === undefined ? 'any' : this.#typeOf(step.definition);
    return `${this.#rule(step.rule, `Rule<${type}>`)}(${value}, ${old}, context, ${step.scoped ? 'scope' : 'undefined'})`;
  }

  /** As `ruleCall`; the predicate gets the struct that has the value as well. */
  predicateCall(test: HoldsTest, { value, old, holder }: Subject): string {
    const type = test.definition === undefined ? 'any' : this.#typeOf(test.definition);
    const predicate = this.#rule(test.rule, `Predicate<${type}, ${this.#typeOf(test.holder)}>`);
    return `${predicate}(${value}, ${test.comparing ? old : 'undefined'}, context, ${test.scoped ? 'scope' : 'undefined'}, ${holder})`;
  }

  scopeCall(maker: string): string {
    return `${this.#rule(maker, 'ScopeMaker<any>')}(value, old, context, scope)`;
  }

  /** @returns the name of the rule as a function of this type */
  #rule(rule: string, type: string): string {
    const [file = '', name = ''] = rule.split('#');
    const key = `${rule} ${type}`;
    const known = this.#rules.get(key);
    if (known !== undefined) return known.alias;
    const taken = new Set([...this.#rules.values()].map(({ alias }) => alias));
    let alias = name;
    for (let again = 2; taken.has(alias); again++) alias = `${name}${again}`;
    this.#rules.set(key, { alias, file, name, type });
    return alias;
  }

  typeCall({ definition, changes }: TypeStep, { value, old }: Subject): string {
    const type = this.#model.types.get(definition) as NamedType;
    const name = `${changes ? 'validateChangesOf' : 'validate'}${type.name}`;
    return `${this.#qualified(type, name)}(${value}, ${old}, context, scope, out);`;
  }

  #qualified(type: NamedType, name: string): string {
    const { folder } = type;
    const isEarlier = this.#history?.isOwn(type) === true;
    if (folder === this.#folder && isEarlier === (this.#history !== undefined)) return name;
    const module = `${folder}/${isEarlier ? 'history-validators' : 'validators'}`;
    this.#modules.add(module);
    return `${validatorsAlias(module)}.${name}`;
  }

  isClosed(definition: string): boolean {
    return this.#constraints.get(definition)?.closed !== false;
  }

  /** Imports and constants, which stand before the functions. */
  imports(): { names?: string; alias?: string; from: string; type?: boolean }[] {
    const own = `generated/${this.#folder}`;
    const runtime = Object.entries(SOURCES).flatMap(([file, names]) => {
      const used = names.filter((name) => this.#used.has(name)).sort();
      return used.length === 0 ? [] : [{ names: used.join(', '), from: relativeImport(own, file) }];
    });
    const rules = [...new Set([...this.#rules.values()].map(({ file }) => file))]
      .sort()
      .map((file) => ({ alias: moduleAlias(file), from: relativeImport(own, `runtime/kinds/${file}.ts`) }));
    const modules = [...this.#modules]
      .sort()
      .map((module) => ({ alias: validatorsAlias(module), from: relativeImport(this.#folder, `${module}.ts`) }));
    return [...runtime, ...rules, ...modules];
  }

  constants(): string[] {
    const rules = [...this.#rules.values()].map(({ alias, file, name, type }) => `const ${alias}: ${type} = ${moduleAlias(file)}.${name};`);
    return [...[...this.#constants].map(([definition, name]) => `const ${name}: ${definition};`), ...rules.sort()];
  }

  ruleTypes(): string {
    const used = [...this.#rules.values()].map(({ type }) => type);
    return ['Predicate', 'Rule', 'ScopeMaker']
      .filter((name) => used.some((type) => type.startsWith(`${name}<`)))
      .map((name) => `, ${name}`)
      .join('');
  }

  typeImports(): { alias: string; from: string }[] {
    return [...this.#types].sort().map((folder) => ({
      alias: typesAlias(folder),
      from: relativeImport(this.#folder, `${folder}/types.ts`),
    }));
  }

  #typeOf(definition: string): string {
    const type = this.#model.types.get(definition) as NamedType;
    if (this.#history?.isGone(type) === true) return 'any';
    const { folder, name } = type;
    this.#types.add(folder);
    return `${typesAlias(folder)}.${name}`;
  }
}
