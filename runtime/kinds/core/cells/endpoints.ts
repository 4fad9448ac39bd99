import type { EndpointSubset, Endpoints } from '../../../../generated/core/v1/types.ts';
import type { CellFunction } from '../../../contract/table.ts';

const SHOWN = 3;

/** The first endpoints, and how many more there are: `10.0.0.1:80,[2001:db8::1]:80`. */
export const cell: CellFunction<Endpoints> = ({ subsets = [] }) => {
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap(endpointsOf);
  const shown = all.slice(0, SHOWN).join(',');
  return all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown;
};

/** Each port with each address that is ready. */
function endpointsOf({ addresses = [], ports = [] }: EndpointSubset): string[] {
  if (ports.length === 0) return addresses.map(({ ip }) => ip);
  return ports.flatMap(({ port }) => addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)));
}
