// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestRefusalsOfTheClusterAreNotConclusive(t *testing.T) {
	for name, test := range map[string]struct{ failure, want string }{
		"a webhook": {
			"Unexpected error:\n    create pod one: admission webhook \"validate.policy.example.com\" denied the request: no limits\n",
			`webhook validate.policy.example.com of the cluster does not admit what the spec needs: admission webhook "validate.policy.example.com" denied the request: no limits`,
		},
		"a webhook without an answer": {
			`create claim one: Internal error occurred: failed calling webhook "mutate.example.com": context deadline exceeded`,
			`webhook mutate.example.com of the cluster did not answer: failed calling webhook "mutate.example.com": context deadline exceeded`,
		},
		"a quota that demands limits": {
			`pods "one" is forbidden: failed quota: default: must specify limits.cpu for: workload`,
			`quota default, which is not the spec's, does not admit what the spec needs: failed quota: default: must specify limits.cpu for: workload`,
		},
		"a quota that is used up": {
			`last event: FailedResourceClaimCreation: exceeded quota: team, requested: count/resourceclaims.resource.k8s.io=1`,
			`quota team, which is not the spec's, does not admit what the spec needs: exceeded quota: team, requested: count/resourceclaims.resource.k8s.io=1`,
		},
		"a LimitRange": {
			`create pod one: pods "one" is forbidden: [maximum cpu usage per Container is 2, but limit is 40, maximum cpu usage per Pod is 4, but limit is 40]`,
			`a LimitRange of the cluster does not admit what the spec needs (maximum cpu usage per Container): is forbidden: [maximum cpu usage per Container is 2, but limit is 40, maximum cpu usage per Pod is 4, but limit is 40]`,
		},
		"a LimitRange with a ratio": {
			`pods "one" is forbidden: memory max limit to request ratio per Container is 2, but provided ratio is 4.000000`,
			`a LimitRange of the cluster does not admit what the spec needs (memory max limit to request ratio per Container): is forbidden: memory max limit to request ratio per Container is 2, but provided ratio is 4.000000`,
		},
		"OpenShift": {
			`pods "one" is forbidden: unable to validate against any security context constraint: provider restricted-v2: .containers[0].runAsUser: Invalid value: 65532`,
			`no security context constraint of the cluster admits what the spec needs: unable to validate against any security context constraint: provider restricted-v2: .containers[0].runAsUser: Invalid value: 65532`,
		},
		"an image that a node does not get": {
			`the pod should run: pod one is Pending: container is waiting: ImagePullBackOff: Back-off pulling image "workload:1"; last event: BackOff: none`,
			`a node could not pull the image of a container (ImagePullBackOff): is waiting: ImagePullBackOff: Back-off pulling image "workload:1"`,
		},
		"a container that is not created": {`container is waiting: CreateContainerError: unresolvable CDI devices`, ""},
		"the quota of the spec":           {`should be accepted: exceeded quota: draconform-devices, requested: gpu=2`, ""},
		"a policy":                        {"ValidatingAdmissionPolicy 'faulty' with binding 'faulty' denied request: no", ""},
		"something else":                  {"pod one should run", ""},
	} {
		t.Run(name, func(t *testing.T) { NewWithT(t).Expect(refused(test.failure)).To(Equal(test.want)) })
	}
}
