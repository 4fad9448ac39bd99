/** Names of environment variables. */
import type { PodSpec } from '../../../../generated/core/v1/types.ts';
import type { FieldError } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { environmentName as relaxedName, strictEnvironmentName as strictName } from '../../../formats/keys.ts';
import { invalidAs } from '../../findings.ts';
import { someContainer } from './containers.ts';
import type { PodScope } from './pod-scope.ts';

/** Behind a gate names are almost free. So are all of a pod where it keeps one that the strict rule refuses. */
export function environmentName(name: string, _old: unknown, context: RuleContext, scope: PodScope): readonly FieldError[] {
  const strict = strictName(name);
  const isRelaxed = context.featureEnabled('RelaxedEnvironmentVariableValidation') || (strict.length > 0 && keepsRelaxed(scope));
  return invalidAs(isRelaxed ? relaxedName(name) : strict, '', name);
}

function keepsRelaxed({ spec, old }: PodScope): boolean {
  if (old === undefined) return false;
  const before = namesOf(old);
  return [...namesOf(spec)].some((name) => before.has(name) && strictName(name).length > 0 && relaxedName(name).length === 0);
}

function namesOf(spec: PodSpec): Set<string> {
  const names = new Set<string>();
  someContainer(spec, ({ env, envFrom }) => {
    for (const { name } of env ?? []) names.add(name);
    for (const { prefix } of envFrom ?? []) names.add(prefix ?? '');
    return false;
  });
  return names;
}
