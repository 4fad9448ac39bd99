/** Signs requests that somebody has approved, for the signers that the server has (as in 1.32). */

import { copyValue } from '../../schema/copy.ts';
import { type IssuedUsage, issueForRequest } from '../../server/certificates/certificate-issuer.ts';
import type { CertificateAndKey } from '../../server/certificates/certificate-request.ts';
import { withCondition } from '../conditions/conditions.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { clientProblem, namesOf, nodeClientProblem, nodeServingProblem, requestText, SIGNERS, unreadable } from './node-requests.ts';
import { isDecided, PendingRequests, type RequestObject } from './pending-requests.ts';

export interface SigningSettings {
  readonly authority: CertificateAndKey;
  /** milliseconds that a certificate is valid at most */
  readonly lifetime: number;
}

type Problem = (request: RequestObject) => string | undefined;

const RULES: Readonly<Record<keyof typeof SIGNERS, Problem>> = {
  client: (request) => clientProblem(namesOf(request), request.spec.usages ?? []),
  nodeClient: (request) => nodeClientProblem(namesOf(request), request.spec.usages ?? []),
  nodeServing: (request) => nodeServingProblem(namesOf(request), request.spec.usages ?? []),
  unknown: (request) => unreadable(namesOf(request)),
};

const MINUTE = 60_000;
/** Clocks may differ. */
const BACKDATE = 5 * MINUTE;
const LEAST = 10 * MINUTE;
/** Below it the whole life counts from now on, else from the earlier beginning. */
const SHORT = 8 * 60 * MINUTE;

export function certificateSigner(server: ControllerServer, settings: SigningSettings): Controller {
  const { text } = server.identity;
  const rules = new Map(Object.entries(SIGNERS).map(([name, signer]) => [text(signer), RULES[name as keyof typeof SIGNERS]]));
  return new PendingRequests(server, {
    queue: 'certificate_signing',
    work: 'signing a certificate',
    async look(request, writer) {
      const problemOf = rules.get(request.spec.signerName);
      if (problemOf === undefined || !isDecided(request, 'Approved') || isDecided(request, 'Denied') || isDecided(request, 'Failed'))
        return;
      const problem = problemOf(request);
      if (problem !== undefined) {
        const condition = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message: problem } as const;
        return writer.write(request, 'status', (old) => withCondition(old, condition, Date.now()));
      }
      const certificate = Buffer.from(signed(request, settings, Date.now())).toString('base64');
      return writer.write(request, 'status', (old) => {
        const object = copyValue(old);
        object.status = { ...object.status, certificate };
        return object;
      });
    },
  });
}

/** @returns PEM */
function signed(request: RequestObject, { authority, lifetime }: SigningSettings, now: number): string {
  const { expirationSeconds, usages = [] } = request.spec;
  const wanted = expirationSeconds === undefined ? lifetime : Math.min(Math.max(expirationSeconds * 1_000, LEAST), lifetime);
  const notBefore = now - BACKDATE;
  const notAfter = (wanted < SHORT ? now : notBefore) + wanted;
  return issueForRequest(requestText(request), { usages: usages as readonly IssuedUsage[], notBefore, notAfter }, authority);
}
