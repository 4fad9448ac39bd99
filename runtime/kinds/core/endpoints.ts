/** Ports of endpoints and of services. */
import type { Predicate } from '../../contract/kind.ts';

/** One port alone needs no name. */
export const severalPorts = ({ ports }: { readonly ports?: readonly unknown[] }): boolean => (ports?.length ?? 0) > 1;

/** As names of ports need it that `severalPorts` is the scope of. */
export const isNamed: Predicate<string, object, boolean> = (name, _old, _context, several) => !several || name !== '';
