// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
)

// A driver may have published a device of neighbours otherwise since it was allocated to them.
func TestWhatIsWrongWithNeighboursOnlyIsNotTheSpecs(t *testing.T) {
	claim := func(namespace, name, device string) *resourceapi.ResourceClaim {
		return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Status: resourceapi.ResourceClaimStatus{
			Allocation: &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
				{Request: "device", Driver: "nic.example.com", Pool: "node-1", Device: device},
			}}},
		}}
	}
	of := subject.Fakes{NIC: "nic.example.com"}.Subject()
	for name, test := range map[string]struct {
		guest *env.Guest
		ours  string
		want  int
	}{
		"neighbours":               {guest: &env.Guest{}, ours: "nic-1"},
		"a neighbour and the spec": {guest: &env.Guest{}, ours: "nic-0", want: 1},
		"no guest":                 {ours: "nic-1", want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset(claim("team-a", "one", "nic-0"), claim("team-b", "two", "nic-0"), claim("ours", "claim", test.ours))
			e := &env.Env{Client: client, Namespace: "ours", Guest: test.guest, Subject: of}
			problems, err := findOverallocation(t.Context(), e, audit.NewInventory(nil))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(problems).To(HaveLen(test.want))
		})
	}
}
