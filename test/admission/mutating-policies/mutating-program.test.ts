/** What policies of the shared table make of objects. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MadeJson } from '../../../runtime/admission/mutating-policies/made-json.ts';
import { MutatingProgram, type MutatingSpec, type ProgramInput } from '../../../runtime/admission/mutating-policies/mutating-program.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { AuthorizerValue } from '../../../runtime/expressions/libraries/authorizer/authorizer-values.ts';
import { jsonValue } from '../../../runtime/expressions/values/json-values.ts';
import type { Value } from '../../../runtime/expressions/values/value.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { tableRows } from '../../harness/tables.ts';
import { loadKind } from '../../kinds/kind.ts';

const test = suite('programs of mutating policies');

interface Row {
  readonly name: string;
  readonly test: string;
  readonly policySpec: MutatingSpec;
  readonly object: object;
  readonly oldObject: object | null;
  readonly params: ApiObject | null;
  readonly namespaceObject?: object | null;
  readonly gvr: { readonly group: string; readonly version: string; readonly resource: string };
  readonly kind: string;
  readonly expected?: object;
  readonly error?: string;
}

const allowed = new AuthorizerValue(() => ({ isAllowed: true, reason: '' }));

/** @returns the object as the policy leaves it. @throws MutationError */
async function mutated(
  { policySpec, oldObject, params, namespaceObject, gvr, kind: name }: Row,
  object: ApiObject,
  kind: Kind,
): Promise<ApiObject> {
  const program = new MutatingProgram(policySpec, {});
  await program.ready();
  const { group, version } = gvr;
  let current = object;
  for (const mutation of program.mutations) {
    const variables: Readonly<Record<string, Value>> = {
      object: jsonValue(current),
      oldObject: jsonValue(oldObject),
      namespaceObject: jsonValue(namespaceObject ?? null),
      request: jsonValue({ kind: { group, version, kind: name } }),
      authorizer: allowed,
    };
    const seen: ProgramInput['seen'] = { read: (variable) => variables[variable] };
    const value = program.evaluate(mutation, { seen, params: params ?? undefined, mayTakeLong: true });
    current = mutation.mutation(value, { object: current, kind, isDescribed: true, isDecoded: false, made: new MadeJson(true) });
  }
  return current;
}

const rows = tableRows<Row>('admission-cel.json').filter((row) => row.test === 'mutating-policy');
if (rows.length === 0) test.skip('no tables beside the checkout', () => {});
for (const row of rows)
  test(row.name, async () => {
    const kind = await loadKind(`${row.gvr.group}/${row.gvr.version}`, row.kind);
    const made = mutated(row, kind.normalized(row.object), kind);
    if (row.expected !== undefined) assert.equal(await made, kind.decode(row.expected).object);
    else assert.is(await made.then(JSON.stringify, (error: Error) => error.message), row.error);
  });

test('what does not compile is told when it is evaluated: an earlier release may have stored it', async () => {
  const program = new MutatingProgram({ mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: '"a"' } }] }, {});
  const [mutation] = program.mutations;
  const seen: ProgramInput['seen'] = { read: () => undefined };
  await program.ready();
  assert.throws(
    () => mutation && program.evaluate(mutation, { seen, params: undefined, mayTakeLong: true }),
    /^must evaluate to Object but got string$/,
  );
});
test.run();
