import type { Library } from '../environment/declarations.ts';
import { BINDING_MACROS } from '../syntax/bindings.ts';

/** `cel.bind`, which 1.32 has for conditions on devices alone. */
export const bindingsLibrary: Library = { name: 'cel.lib.ext.cel.bindings', since: Number.POSITIVE_INFINITY, macros: BINDING_MACROS };
