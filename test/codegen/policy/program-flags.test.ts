/** Flags of each program are held against those of the same program, where they stand. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReleaseCalendar } from '../../../codegen/policy/release-calendar.ts';
import { checkFlags, compareFlags } from '../../../codegen/policy/tables/flags.ts';
import type { TablesStep } from '../../../codegen/policy/tables/tables-step.ts';
import type { FlagRow } from '../../../codegen/read/flags-file.ts';

const level: FlagRow = { name: 'level', group: 'general', type: 'integer', status: 'effective', help: 'How much.' };

interface Tables {
  readonly flags?: readonly FlagRow[];
  readonly nodeAgentFlags?: readonly FlagRow[];
}

function found(before: Tables, after: Tables): string[] {
  const violations: string[] = [];
  const report = {
    violation: (code: string, { at }: { at: { file: string; path: string } }) => violations.push(`${code} ${at.file} ${at.path}`),
    allowed: () => {},
  };
  const calendar = new ReleaseCalendar([
    { name: '1.31', date: '2024-08-13' },
    { name: '1.32', date: '2024-12-11' },
  ] as never);
  const step = { before, after, calendar, release: '1.32', isOut: () => true, report } as unknown as TablesStep;
  checkFlags(step);
  compareFlags(step);
  return violations;
}

const programs = suite('flags of two programs');
programs('are told apart', () => {
  const both = { flags: [level], nodeAgentFlags: [level] };
  assert.equal(found(both, { flags: [level], nodeAgentFlags: [] }), ['CP501 schemas/node-agent-flags.yaml flags.level']);
  assert.equal(found(both, { flags: [], nodeAgentFlags: [level] }), ['CP501 schemas/flags.yaml flags.level']);
});
programs('are compared where both states have them', () => {
  assert.equal(found({ flags: [level] }, { flags: [level], nodeAgentFlags: [level] }), []);
});
programs('are checked each by themselves', () => {
  const deprecated = { ...level, deprecated: { release: '1.31' } };
  assert.equal(found({}, { nodeAgentFlags: [deprecated] }), ['CP601 schemas/node-agent-flags.yaml flags.level']);
});
programs.run();
