/** Approves client certificates of nodes, where whoever asks for one has leave to get it without anybody's doing (as in 1.32). */
import type { User } from '../../contract/request-context.ts';
import { withCondition } from '../conditions/conditions.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { namesOf, nodeClientProblem, SIGNERS } from './node-requests.ts';
import { isDecided, NotYet, PendingRequests, type RequestObject } from './pending-requests.ts';

interface Recognizer {
  /** on which whoever asks needs the verb create */
  readonly subresource: string;
  readonly message: string;
  readonly isRecognized: (request: RequestObject, commonName: string) => boolean;
}

const RECOGNIZERS: readonly Recognizer[] = [
  {
    subresource: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
    isRecognized: ({ spec }, commonName) => spec.username === commonName,
  },
  {
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    isRecognized: () => true,
  },
];

export function certificateApprover(server: ControllerServer): Controller {
  const signerName = server.identity.text(SIGNERS.nodeClient);
  return new PendingRequests(server, {
    queue: 'certificate_approving',
    work: 'approving a certificate',
    async look(request, writer) {
      if (request.spec.signerName !== signerName || isDecided(request, 'Approved') || isDecided(request, 'Denied')) return;
      const names = namesOf(request);
      if (nodeClientProblem(names, request.spec.usages ?? []) !== undefined) return;
      const recognized = RECOGNIZERS.filter((each) => each.isRecognized(request, names?.commonName ?? ''));
      for (const { subresource, message } of recognized) {
        if (!(await isAllowed(server, request, subresource))) continue;
        const condition = { type: 'Approved', status: 'True', reason: 'AutoApproved', message } as const;
        return writer.write(request, 'approval', (old) => withCondition(old, condition, Date.now()));
      }
      // leave may come later
      throw new NotYet(
        `whoever asked may not have it approved: leave to create certificatesigningrequests/${recognized.at(-1)?.subresource} is missing`,
      );
    },
  });
}

async function isAllowed({ authorizer, identity }: ControllerServer, { spec }: RequestObject, subresource: string): Promise<boolean> {
  const { username = '', uid = '', groups = [], extra = {} } = spec;
  const user: User = { name: username, uid, groups, extra };
  const { decision } = await authorizer.authorize({
    user,
    isResource: true,
    verb: 'create',
    path: '',
    group: identity.text('certificates.${groupDomain}'),
    version: '*',
    namespace: '',
    resource: 'certificatesigningrequests',
    subresource,
    name: '',
  });
  return decision === 'allow';
}
