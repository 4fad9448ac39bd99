import type { Ingress } from '../../../../generated/networking/v1/types.ts';
import type { CellFunction } from '../../../contract/table.ts';

const SHOWN = 3;

/** The first hosts. 1.32 takes all rules beyond so many for hosts, as soon as one comes behind the last that is shown. */
export const cell: CellFunction<Ingress> = ({ spec: { rules = [] } = {} }) => {
  const withHost = rules.map(({ host }, index) => (host ? index : -1)).filter((index) => index >= 0);
  const last = withHost[SHOWN - 1] ?? rules.length;
  const hosts = rules.slice(0, last + 1).flatMap(({ host }) => host || []);
  return last < rules.length - 1 ? `${hosts.join(',')} + ${rules.length - SHOWN} more...` : hosts.join(',');
};
