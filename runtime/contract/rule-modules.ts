/** The hand-written behaviour of kinds that schemas name: files in `runtime/kinds/`, each of which is loaded when one of its kinds is first used. */
import type { Identity } from './identity.ts';
import type { ConversionFunctions } from './kind.ts';
import type { AnyKindRules } from './kind-rules.ts';
import type { CellFunction } from './table.ts';

/** Something that may be a function which makes it for an identity, because it depends on the dialect's names. */
export type ForIdentity<T extends object> = T | ((identity: Identity) => T);

/** Functions that load the files, by the paths of the files below `runtime/kinds/` without their extensions, such as `core/pods/pod`. */
export interface RuleModules {
  readonly rules: Readonly<Record<string, () => Promise<{ readonly rules: ForIdentity<AnyKindRules> }>>>;
  readonly conversions: Readonly<Record<string, () => Promise<{ readonly conversion: ForIdentity<ConversionFunctions> }>>>;
  readonly cells: Readonly<Record<string, () => Promise<{ readonly cell: CellFunction }>>>;
}
