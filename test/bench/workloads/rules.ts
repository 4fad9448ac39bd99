/** Rules of custom resources: what evaluating one costs, with its cost counted. It needs no server to ask. */
import type { CustomSchema } from '../../../runtime/structural-schema/custom-schema.ts';
import { RuleCheck } from '../../../runtime/structural-schema/rules/rule-check.ts';
import type { Bench } from '../bench.ts';

const RULES: readonly (readonly [name: string, rule: string])[] = [
  ['fields compared', 'self.replicas <= self.most'],
  ['all of 10 items', 'self.ports.all(port, port > 0)'],
  ['a pattern', "self.name.matches('^[a-z-]+$')"],
];
const spec = { replicas: 3, most: 10, name: 'web-server', ports: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] };
const properties: Readonly<Record<string, CustomSchema>> = {
  replicas: { type: 'integer' },
  most: { type: 'integer' },
  name: { type: 'string' },
  ports: { type: 'array', items: { type: 'integer' } },
};
const ROUNDS = 200_000;
const BUDGET = 10_000_000;

export async function measureRules({ report }: Bench): Promise<void> {
  for (const [name, rule] of RULES) {
    const check = RuleCheck.of({ type: 'object', properties, 'x-kubernetes-validations': [{ rule }] }, false) as RuleCheck;
    evaluate(check, ROUNDS / 10);
    const before = process.cpuUsage();
    evaluate(check, ROUNDS);
    const { user, system } = process.cpuUsage(before);
    report({ workload: 'rules', name, processorUs: (user + system) / ROUNDS });
  }
}

function evaluate(check: RuleCheck, rounds: number): void {
  for (let round = 0; round < rounds; round++) {
    const { errors } = check.findings(spec, undefined, 'spec', { budget: BUDGET, ratchets: true });
    if (errors.length > 0) throw new Error(errors[0]?.message);
  }
}
