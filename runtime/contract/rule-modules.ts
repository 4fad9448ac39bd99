/** Hand-written behaviour of kinds that schemas name: files of `runtime/kinds/`, each loaded when a kind of its is first used. */
import type { Identity } from './identity.ts';
import type { AnyKindRules, ConversionFunctions } from './kind.ts';
import type { CellFunction } from './table.ts';

/** What depends on the dialect's names is made for one identity. */
export type ForIdentity<T extends object> = T | ((identity: Identity) => T);

/** Names are paths below `runtime/kinds/` without extension, such as `core/pod`. */
export interface RuleModules {
  readonly rules: Readonly<Record<string, () => Promise<{ readonly rules: ForIdentity<AnyKindRules> }>>>;
  readonly conversions: Readonly<Record<string, () => Promise<{ readonly conversion: ForIdentity<ConversionFunctions> }>>>;
  readonly cells: Readonly<Record<string, () => Promise<{ readonly cell: CellFunction }>>>;
}
