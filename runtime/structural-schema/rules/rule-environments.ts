/**
 * The environments of rules: new rules may use the libraries of release 1.31, stored ones all of 1.32, so that new rules still compile
 * after a rollback.
 */
import { Environment } from '../../expressions/environment/environment.ts';
import { kubernetesLibraries } from '../../expressions/libraries/kubernetes.ts';
import { optionalOf, type Type } from '../../expressions/types/type.ts';

/** Returns what an expression may use besides its values. */
export type EnvironmentOf = (source: string, member: 'rule' | 'messageExpression') => Environment;

const environments = new Map<number, Environment>();

function ofRelease(minor: number): Environment {
  let environment = environments.get(minor);
  if (environment === undefined) {
    environment = new Environment({ libraries: kubernetesLibraries(minor), mixedLiterals: true });
    environments.set(minor, environment);
  }
  return environment;
}

export const newRules: EnvironmentOf = () => ofRelease(31);
export const storedRules: EnvironmentOf = () => ofRelease(32);

/** @param self type of the values that have the rules @param optionalOldSelf whether the rule also runs without a former value */
export function withSelf(environment: Environment, self: Type, optionalOldSelf: boolean): Environment {
  return environment.extend({ variables: { self, oldSelf: optionalOldSelf ? optionalOf(self) : self } });
}
