// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// counting are drivers without a control endpoint, of which a kubelet has counted claims.
type counting struct {
	operations.Drivers
	count operations.ClaimsCount
}

func (c counting) Lacks(string, operations.DriverOperation) string { return "" }

func (c counting) ClaimsInUse(context.Context, string, string) (operations.ClaimsCount, error) {
	return c.count, nil
}

// user returns a running pod of the node that the kubelet has accepted at a time, and its claim.
func user(name string, phase corev1.PodPhase, accepted time.Time) []runtime.Object {
	meta := metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name)}
	return []runtime.Object{
		&corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{NodeName: "node"}, Status: corev1.PodStatus{Phase: phase, StartTime: &metav1.Time{Time: accepted}}},
		&resourceapi.ResourceClaim{ObjectMeta: meta, Status: resourceapi.ResourceClaimStatus{
			Allocation: &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
				Results: []resourceapi.DeviceRequestAllocationResult{{Driver: "driver", Pool: "pool", Device: name}},
			}},
			ReservedFor: []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: name, UID: meta.UID}},
		}},
	}
}

// A kubelet that was restarted while neighbours used devices does not count their claims any more.
func TestClaimsInUse(t *testing.T) {
	restart := time.Now().Add(-time.Hour)
	before, after := restart.Add(-time.Hour), restart.Add(time.Minute)
	for name, test := range map[string]struct {
		count int
		since time.Time
		group bool
		right bool
	}{
		"all":                             {count: 2, right: true},
		"one lacks":                       {count: 1},
		"one too many":                    {count: 4},
		"one before the restart lacks":    {count: 1, since: restart, right: true},
		"one since the restart lacks":     {count: 0, since: restart},
		"one too many since the restart":  {count: 4, since: restart},
		"the start is not known":          {count: 0, since: time.Now(), right: true},
		"one of a group":                  {count: 4, right: true, group: true},
		"all, although the start is late": {count: 3, since: time.Now(), right: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			RegisterTestingT(t)
			objects := slices.Concat(user("before", corev1.PodRunning, before), user("after", corev1.PodRunning, after), user("waiting", corev1.PodPending, after))
			if test.group {
				member := user("member", corev1.PodRunning, after)
				member[1].(*resourceapi.ResourceClaim).Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{APIGroup: "scheduling.k8s.io", Resource: "podgroups", Name: "group"}}
				objects = append(objects, member...)
			}
			client := fake.NewClientset(objects...)
			e := &env.Env{Client: client, Drivers: counting{count: operations.ClaimsCount{Claims: test.count, Since: test.since}}, Timeouts: env.Timeouts{Deletion: 50 * time.Millisecond}}
			err := InterceptGomegaFailure(func() { waitForClaimsInUse(t.Context(), e, "driver", "node") })
			if test.right {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(ContainSubstring("claims of driver driver in use")))
			}
		})
	}
}
