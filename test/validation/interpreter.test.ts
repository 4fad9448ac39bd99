/** The functions that the generator writes and the interpreter of custom kinds find the same, in the same order, in whatever object. */
import path from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildModel } from '../../codegen/model/build.ts';
import { readConstraints } from '../../codegen/model/constraints/constraints.ts';
import { readSources } from '../../codegen/read/read.ts';
import { identity as identityData } from '../../generated/identity.ts';
import { groupVersions } from '../../generated/routes.ts';
import type { Steps } from '../../runtime/contract/constraint.ts';
import { type FieldError, MOST_FINDINGS } from '../../runtime/contract/field-error.ts';
import { createIdentity } from '../../runtime/contract/identity.ts';
import type { KindData, Validator } from '../../runtime/contract/kind.ts';
import type { RuleContext } from '../../runtime/contract/kind-rules.ts';
import { OWN_WORK } from '../../runtime/contract/request-context.ts';
import { compileType, decode } from '../../runtime/schema/codec/codec.ts';
import { Interpreter, type Occasion } from '../../runtime/validation/interpreter.ts';
import { namedValues, ObjectMaker, randomOf } from './random-objects.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const RUNS = Number(process.env.VALIDATION_RUNS ?? 60);
const DEPTH = 6;

const identity = createIdentity(identityData, 'cluster');
const sources = await readSources(ROOT, () => {});
const constraints = readConstraints(buildModel(sources, () => {}));

/** Rules and scopes by the names that schemas give them. */
const functions = new Map<string, unknown>();
for (const name of namesOf([...constraints.values()])) {
  const [file, exported = ''] = name.split('#');
  functions.set(name, (await import(`../../runtime/kinds/${file}.ts`))[exported]);
}

function namesOf(all: readonly { scope?: string; object: Steps; changes: Steps; status: Steps }[]): Set<string> {
  const text = JSON.stringify(all);
  return new Set([...text.matchAll(/"(?:rule|scope)":"([^"]+#[^"]+)"/g)].map(([, name]) => name as string));
}

const interpreter = new Interpreter({
  constraints,
  rule: (name) => functions.get(name) as never,
  predicate: (name) => functions.get(name) as never,
  scope: (name) => functions.get(name) as never,
  pattern: (source) => new RegExp(`^(?:${source})$`),
});

/** Gates are on or off by chance, the same for both. */
function contextOf(seed: number): RuleContext {
  const random = randomOf(seed);
  const gates = new Map<string, boolean>();
  return {
    text: identity.text,
    now: () => 1_700_000_000_000,
    dryRun: false,
    request: OWN_WORK,
    allowsPrivileged: seed % 2 === 0,
    explainsCosts: false,
    metadataProblem: () => undefined,
    featureEnabled(gate) {
      if (!gates.has(gate)) gates.set(gate, random() < 0.5);
      return gates.get(gate) as boolean;
    },
    allocator: undefined as never,
  };
}

function findings(validator: Validator | undefined, object: unknown, old: unknown, context: RuleContext): FieldError[] {
  const out: FieldError[] = [];
  validator?.(object, old, context, undefined, out);
  // Structures are shown with an address that is never the same.
  return out.map((error) => ({ ...error, message: error.message.replace(/0x[0-9a-f]+/g, '0x') }));
}

const named = namedValues(constraints.values());
const OCCASIONS: readonly Occasion[] = ['object', 'changes', 'status'];
const equality = suite('generated validators and the interpreter');
let found = 0;

for (const { version, group, load } of groupVersions) {
  const module = await load();
  for (const [kind, data] of Object.entries(module.kinds))
    if (data.validators !== undefined)
      equality(`find the same in ${group === '' ? '' : `${group}/`}${version} ${kind}`, () => compare(data));
}

function compare({ type, validators = {} }: KindData): void {
  const compiled = compileType(type, identity);
  const decoded = (object: object) => decode(compiled, object, { defaults: true }).object;
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const maker = new ObjectMaker(seed, named);
      const made = maker.struct(type, DEPTH);
      const object = decoded(made);
      const old = maker.pick([undefined, decoded(maker.changed(made, type, DEPTH)), object]);
      for (const occasion of OCCASIONS) {
        if (occasion !== 'object' && old === undefined) continue;
        const generated = findings(validators[occasion], object, old, contextOf(seed));
        const interpreted = findings(interpreter.validator(type.name, occasion), object, old, contextOf(seed));
        found += generated.length;
        assert.equal(interpreted, generated, `${occasion} ${old === object}: ${JSON.stringify({ interpreted, generated })}`);
      }
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  );
}

equality('end when they have found more than is told', async () => {
  const module = await groupVersions.find(({ folder }) => folder === 'core/v1')?.load();
  assert.ok(module);
  const { type, validators } = module.kinds.Service as KindData;
  const ports = Array.from({ length: 100_000 }, () => ({}));
  const { object } = decode(compileType(type, identity), { metadata: { name: 'a' }, spec: { ports } }, { defaults: true });
  const generated = findings(validators?.object, object, undefined, contextOf(1));
  // those of the schema and of the rule that looks at all ports, each with all of the last port
  assert.ok(generated.length > MOST_FINDINGS && generated.length < 2 * MOST_FINDINGS + 10, `${generated.length}`);
  assert.equal(findings(interpreter.validator(type.name, 'object'), object, undefined, contextOf(1)), generated);
});

equality('find something at all', () => assert.ok(found > 0));
equality.run();
