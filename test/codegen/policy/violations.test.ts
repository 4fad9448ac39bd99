/** One violation at least for each clause of each rule: all of them are found, and nothing else is. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PolicyRule } from '../../../codegen/policy/policy-codes.ts';
import { policyCodes, policyRules } from '../../../codegen/policy/policy-codes.ts';
import { apiViolations } from './cases/api-violations.ts';
import { lifecycleViolations } from './cases/lifecycle-violations.ts';
import { tableViolations } from './cases/table-violations.ts';
import { outcomeOf } from './states.ts';

const violations = suite('violations of the policy');
const rows = [...apiViolations, ...lifecycleViolations, ...tableViolations];
for (const { name, expected, edit, earlier } of rows)
  violations(name, async () => {
    const { findings } = await outcomeOf(edit, earlier);
    assert.equal(
      findings.map(({ code, rule, element }) => `${code} ${rule} ${element}`).sort(),
      expected.map(([code, rule, element]) => `${code} ${rule} ${element}`).sort(),
      findings.map(({ code, element, was, is }) => `${code} ${element}: ${was} -> ${is}`).join('\n'),
    );
    for (const { was, is, remedy, file, release } of findings) assert.ok([was, is, remedy, file, release].every((part) => part.length > 0));
  });
violations('have a case for each rule', () => {
  const covered = new Set<PolicyRule>(rows.flatMap(({ expected }) => expected.map(([, rule]) => rule)));
  assert.equal(
    policyRules.filter((rule) => !covered.has(rule) && rule !== '2'),
    [],
  );
});
/** Those of what objects lose, of exceptions and of definitions have tests of their own. */
const ELSEWHERE = ['CP001', 'CP002', 'CP003', 'CP130', 'CP131', 'CP132', 'CP133', 'CP134', 'CP200', 'CP201', 'CP202', 'CP203'];
violations('have a case for each code', () => {
  const covered = new Set<string>(rows.flatMap(({ expected }) => expected.map(([code]) => code)));
  assert.equal(
    Object.keys(policyCodes).filter((code) => !covered.has(code) && !ELSEWHERE.includes(code)),
    [],
  );
});
violations.run();
