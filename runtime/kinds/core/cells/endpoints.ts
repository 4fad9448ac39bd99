import type { CellFunction } from '../../../contract/table.ts';
import type { Struct } from '../../struct.ts';

const SHOWN = 3;

/** The first endpoints, and how many more there are: `10.0.0.1:80,[2001:db8::1]:80`. */
export const cell: CellFunction = ({ subsets }) => {
  if (subsets === undefined || subsets.length === 0) return '<none>';
  const all = (subsets as Struct[]).flatMap(endpointsOf);
  const shown = all.slice(0, SHOWN).join(',');
  return all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown;
};

/** Each port with each address that is ready. */
function endpointsOf({ addresses, ports }: Struct): string[] {
  const ips = ((addresses ?? []) as Struct[]).map(({ ip }) => ip as string);
  if ((ports ?? []).length === 0) return ips;
  return (ports as Struct[]).flatMap(({ port }) => ips.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)));
}
