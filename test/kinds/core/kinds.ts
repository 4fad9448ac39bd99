/** Kinds of the core group for tests, with objects decoded and with their defaults as the server has them. */
import type { KindRules } from '../../../runtime/contract/kind-rules.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { lines, ruleContext } from '../context.ts';
import { loadKind } from '../kind.ts';

export interface TestKind {
  readonly rules: KindRules;
  /** @param members besides a name and a namespace */
  make(members?: object, metadata?: object): ApiObject;
  /** lines of the errors of a new object */
  errors(members: object, metadata?: object): string[];
  /** lines of the errors of a change, those of the object as it is left out */
  changeErrors(members: object, old: object, metadata?: object, oldMetadata?: object): string[];
}

/** @param gates feature gates that are on; absent: all are off */
export async function testKind(name: string, ...gates: string[]): Promise<TestKind> {
  const kind = await loadKind('v1', name);
  const { rules } = kind;
  const make = (members: object = {}, metadata: object = {}): ApiObject =>
    kind.decode({ metadata: { name: 'x', namespace: 'n', ...metadata }, ...members }).object;
  return {
    rules,
    make,
    errors: (members, metadata) => lines(rules.validate?.(make(members, metadata), ruleContext(...gates))),
    changeErrors: (members, old, metadata, oldMetadata) =>
      lines(rules.validateUpdate?.(make(members, metadata), make(old, oldMetadata), ruleContext(...gates))),
  };
}
