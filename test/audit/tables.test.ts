/** Rows of upstream's own test table of audit policies. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AuditPolicy, unionOf } from '../../runtime/audit/audit-policy.ts';
import { tableRows } from '../harness/tables.ts';

interface Row {
  readonly name: string;
  readonly policy?: ConstructorParameters<typeof AuditPolicy>[0];
  readonly request?: {
    readonly apiGroup: string;
    readonly name: string;
    readonly namespace: string;
    readonly path: string;
    readonly resource: string;
    readonly resourceRequest: boolean;
    readonly subresource: string;
    readonly user: { readonly name: string; readonly groups?: readonly string[] } | null;
    readonly verb: string;
  };
  readonly expected?: { readonly level: string; readonly omitStages?: readonly string[]; readonly omitManagedFields?: boolean };
  readonly first?: readonly string[];
  readonly second?: readonly string[];
  readonly union?: readonly string[];
}

const test = suite('audit policies of upstream');
const rows = tableRows<Row>('audit-policy.json');
if (rows.length === 0) test.skip('no rows in the table', () => {});
for (const { name, policy, request, expected, first, second, union } of rows)
  test(name, () => {
    if (policy === undefined || request === undefined) {
      assert.equal([...unionOf(first ?? [], second ?? [])].sort(), [...(union ?? [])].sort());
      return;
    }
    const { apiGroup: group, resourceRequest: isResource, user, ...rest } = request;
    const who = user === null ? undefined : { name: user.name, groups: user.groups ?? [] };
    const { level, omitStages, omitManagedFields } = new AuditPolicy(policy).recording({ ...rest, group, isResource }, who);
    assert.is(level, expected?.level);
    if (expected?.omitStages !== undefined) assert.equal([...omitStages].sort(), [...new Set(expected.omitStages)].sort());
    if (expected?.omitManagedFields !== undefined) assert.is(omitManagedFields, expected.omitManagedFields);
  });
test.run();
